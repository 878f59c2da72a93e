/** English words that are capitalised but are not names. */

/** Days, months, languages, peoples, and other words that are always capitalised. */
const NO_NAMES = `
Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Tues Wed Thu Thurs Fri Sat Sun
January February March April June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
English French German Spanish Italian Portuguese Dutch Russian Polish Greek Turkish Arabic Hebrew Hindi Japanese Chinese Korean
Thai Vietnamese Indonesian Malay Mandarin Cantonese Latin American British Irish Scottish Welsh Canadian Mexican Brazilian Indian
African Asian European Australian Swedish Norwegian Danish Finnish Swiss Austrian Belgian Ukrainian Egyptian Moroccan Nigerian
Kenyan Israeli Iranian Pakistani Filipino Cuban Peruvian Hawaiian Californian Western Eastern Northern Southern Christian Muslim
Jewish Buddhist Hindu Catholic Islam Buddhism Christianity God Lord Jesus Internet Web Wi-Fi Bluetooth Mom Mum Mommy Mummy Dad
Daddy Mother Father Sister Brother Auntie Grandma Grandpa Granny Sir Madam Miss Mr Mrs Ms Dr Prof I OK Okay TV PC AM PM Sr Jr PhD CEO Xmas Santa Assistant User Human
Earth Sun Moon Spring Summer Autumn Fall Winter North South East West Yay Lol Haha Hehe Hmm Ugh Omg Ps Vs Etc Phd Step Option Part
Chapter Section Note Tip Tips Example Question Answer Pro Con Pros Cons Phase Day Week Month Year Scene Act Figure Table Version`;

/** Words that often begin sentences. */
const OPENERS = `
a about absolutely according actually add after afterwards again agreed ah aha all almost alright also although always amazing an and
another any anybody anyone anything anyway anyways apart apparently appreciate are aren't as aside ask at aw awesome aww away back
basically be beautiful because been before being believe besides best better between big both bravo bring brilliant but by bye call can
can't cannot care careful certainly check cheers choose clearly come congrats congratulations consider continue cool correct could
couldn't crazy create currently dang dear definitely depending describe despite did didn't do does doesn't don't doing done dude due
during each early easy either else end enjoy enough especially even eventually ever every everybody everyone everything exactly excellent
except excited exciting explain fair fantastic fascinating feel feeling few finally find fine first firstly follow following for forget
fortunately from fun funny further gave generally get getting give given glad go going gonna good goodbye goodnight gosh got gotta great
growing guess guys had haha happy hard has have haven't having he he'd he'll he's hear hello help her here here's hey hi him his hold home
honestly hope hopefully how how's however huge i i'd i'll i'm i've if imagine impressive in incredible indeed inspiring instead
interesting is isn't it it'd it'll it's its just keep kind know lastly last late lately later learn learning least leave less let let's
like likewise listen literally little living look looking looks lots love loved lovely loving luckily made make makes making man many
many maybe me mean meanwhile might mine more moreover most mostly much must my myself nah nature near need neither never nevertheless
new next nice no nobody none nope nor not nothing now obviously of off often oh ok okay on once one ones only oof ooh open or other
others otherwise ouch our out over overall own painting perfect perhaps personally plan play playing please plus possibly pretty probably
provide put quick quite rather read reading ready really recently regarding remember remind research right running sad same save say
saying scary second secondly see seeing seems send set several shall she she'd she'll she's should show similarly simply since so some
somebody someone something sometimes soon sorry sound sounds speaking specifically spending start starting stay still stop such super
sure surely sweet take taking talk talking tell thank thanks that that'd that'll that's the their them then there there'll there's
therefore these they they'd they'll they're they've thing things think third this those though three through thus till time to today
together tomorrow tonight too total totally touching tough travel true truly try trying turns two typically ugh um under understand
understood unfortunately unless unlike until up update upon us use used using usually very visiting wait wait walking wanna want was
wasn't watch watching way we we'd we'll we're we've welcome well went were what what's whatever when whenever where where's whereas
wherever whether which while whilst who who's whoever whole whose why will wish with within without woah won't wonder wonderful wondering
woohoo woo word words work working would wouldn't wow write wrong yay yeah yep yes yesterday yet you you'd you'll you're you've your
yours yourself yup create generate list summarize translate rewrite identify analyze compare discuss evaluate develop design implement
ensure include focus remember stay set use offer share keep track join encourage practice avoid prepare build review schedule prioritize
maintain monitor establish schedule hosting art music life family friends love hope joy faith grace will may mark rose summer dawn sunny
dance yoga cooking gardening nothing everybody home school work food movies books fitness health mental exercise camping hiking swimming
gaming adoption group picture photo photos shares image take care rock rocks count congrats absolutely certainly`;

const NO_NAME: ReadonlySet<string> = new Set(NO_NAMES.trim().split(/\s+/));
const OPENER: ReadonlySet<string> = new Set(OPENERS.trim().split(/\s+/));

/** Whether a word, as written, is not a name. */
export function isNoName(word: string): boolean {
  return NO_NAME.has(word) || word.length === 1;
}

/** Whether a word, in lower case, often begins a sentence. */
export function isOpener(word: string): boolean {
  return OPENER.has(word.toLowerCase().replaceAll('’', "'"));
}
