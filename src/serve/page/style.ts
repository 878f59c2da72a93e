export const STYLE = `
:root { color-scheme: light dark; --text: #1c1c1c; --soft: #5a5a5a; --line: #d8d8d8; --paper: #fff; --code: #f4f4f2; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --soft: #a8a8a8; --line: #3a3a3a; --paper: #161616; --code: #202020; --link: #7db7f0; }
}
* { box-sizing: border-box; }
body { margin: 0; display: flex; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--paper); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; flex: 0 0 15rem; padding: 1rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .95rem; margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; font-size: .9rem; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 6rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
h2 { margin-top: 3rem; }
article { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 2rem; }
h3 { overflow-wrap: anywhere; }
h4 { margin: 1.2rem 0 .4rem; }
.method { font: 700 .8rem ui-monospace, monospace; padding: .15rem .45rem; border: 1px solid currentColor; border-radius: .25rem; }
.get { color: #1a7f4b; } .post { color: #0b57a4; } .patch { color: #8a5a00; }
@media (prefers-color-scheme: dark) { .get { color: #5fcf95; } .post { color: #7db7f0; } .patch { color: #e0b35a; } }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); font-weight: normal; }
td:nth-child(2) { color: var(--soft); white-space: nowrap; }
code, pre { font-family: ui-monospace, monospace; font-size: .88em; }
pre { background: var(--code); padding: .8rem; overflow: auto; max-height: 24rem; border-radius: .3rem; }
summary { cursor: pointer; font-weight: 600; }
details { margin: .3rem 0; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;
