import { expect, test } from 'vitest';
import { stem } from './stem.ts';

test('stems the examples in Porter’s paper', () => {
  const examples = `caresses caress|ponies poni|ties ti|caress caress|cats cat|feed feed|agreed agre|plastered plaster|bled-x bled-x
motoring motor|sing sing|conflated conflat|troubled troubl|sized size|hopping hop|tanned tan|falling fall|hissing hiss|fizzed fizz
failing fail|filing file|happy happi|sky sky|relational relat|conditional condit|rational ration|valenci valenc|digitizer digit
conformabli conform|radicalli radic|differentli differ|vileli vile|analogousli analog|vietnamization vietnam|predication predic
operator oper|feudalism feudal|decisiveness decis|hopefulness hope|callousness callous|formaliti formal|sensitiviti sensit
sensibiliti sensibl|triplicate triplic|formative form|formalize formal|electriciti electr|electrical electr|hopeful hope
goodness good|revival reviv|allowance allow|inference infer|airliner airlin|gyroscopic gyroscop|adjustable adjust|defensible defens
irritant irrit|replacement replac|adjustment adjust|dependent depend|adoption adopt|homologou homolog|communism commun
activate activ|angulariti angular|homologous homolog|effective effect|bowdlerize bowdler|probate probat|rate rate|cease ceas
controll control|roll roll`;
  for (const [word = '', stemmed] of examples.split(/[|\n]/).map((pair) => pair.split(' ')))
    expect(stem(word)).toBe(stemmed);
});

test('maps irregular forms to the stem of their base form', () => {
  for (const [form, base] of [
    ['went', 'go'],
    ['thought', 'think'],
    ['written', 'write'],
    ['children', 'child'],
    ['people', 'person'],
  ] as const) {
    expect(stem(form)).toBe(stem(base));
  }
});

test('does not change short words and other alphabets', () => {
  for (const word of ['is', 'as', 'москва', 'iphone15s', '']) expect(stem(word)).toBe(word);
});
