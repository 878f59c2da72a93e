/** What English sentences say of their speaker. */
import type { PredicateName } from './predicates.ts';
import { LIKELY, type Reader, type Rule } from './rule.ts';

const KIN =
  'sister|brother|mother|mom|mum|father|dad|wife|husband|girlfriend|boyfriend|partner|fianc[ée]e?|son|daughter|kid|child|baby|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|nephew|niece|boss|roommate|flatmate|neighbou?r|friend|dog|puppy|cat|kitten|rabbit|bunny|hamster|parrot|turtle|tortoise|horse|pony|guinea pig|snake|lizard|ferret';
const ANIMALS =
  'dogs?|pupp(?:y|ies)|cats?|kittens?|rabbits?|bunn(?:y|ies)|hamsters?|parrots?|turtles?|tortoises?|horses?|pon(?:y|ies)|guinea pigs?|snakes?|lizards?|geckos?|ferrets?|goldfish|chickens?|goats?';
const RELATIVES =
  'brothers?|sisters?|siblings?|sons?|daughters?|kids?|child|children|twins|nephews?|nieces?|cousins?|grandchild(?:ren)?|grandsons?|granddaughters?';
const JOBS =
  'teacher|nurse|engineer|developer|programmer|doctor|physician|surgeon|dentist|pharmacist|therapist|psychologist|psychiatrist|counsel+or|lawyer|attorney|accountant|auditor|banker|analyst|consultant|designer|illustrator|artist|painter|sculptor|photographer|filmmaker|writer|author|novelist|poet|journalist|reporter|editor|translator|interpreter|librarian|professor|lecturer|tutor|scientist|biologist|chemist|physicist|researcher|student|intern|apprentice|manager|secretary|receptionist|assistant|clerk|cashier|salesman|saleswoman|salesperson|realtor|barista|bartender|waiter|waitress|chef|cook|baker|butcher|farmer|gardener|florist|carpenter|plumber|electrician|mechanic|welder|driver|pilot|sailor|soldier|veteran|firefighter|paramedic|officer|detective|veterinarian|vet|architect|contractor|musician|singer|guitarist|drummer|pianist|composer|actor|actress|dancer|comedian|athlete|coach|trainer|instructor|hairdresser|barber|stylist|tailor|nanny|homemaker|housewife|stay-at-home (?:mom|mum|dad|parent)|entrepreneur|freelancer|business owner|shop owner|social worker|civil servant|diplomat|priest|pastor|nun|monk';
const INSTRUMENTS_AND_SPORTS =
  'piano|guitar|bass|violin|cello|viola|flute|clarinet|saxophone|trumpet|drums|ukulele|harp|keyboard|tennis|soccer|football|basketball|baseball|volleyball|badminton|golf|hockey|cricket|rugby|chess|table tennis|softball';
const LANGUAGES =
  'English|Japanese|Chinese|Mandarin|Cantonese|Korean|Spanish|French|German|Italian|Portuguese|Russian|Arabic|Hindi|Thai|Vietnamese|Indonesian|Dutch|Swedish|Turkish|Polish|Greek|Hebrew|Tagalog';
const DURABLES =
  'car|truck|van|motorcycle|motorbike|scooter|bike|bicycle|house|apartment|flat|condo|cabin|boat|guitar|piano|violin|keyboard|camera|telescope|laptop|computer|tablet|console|sewing machine';
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

/** Adverbs between subject and verb. */
const HOW =
  '(?:(?:also|still|now|just|really|currently|actually|absolutely|truly|always|totally|both|personally|especially|already|recently|finally|usually|mostly|particularly|quite) )*';
const OTHERS = `my (?<whose>(?:(?:older|younger|little|big|elder|twin|best|late|oldest|youngest|eldest) )*(?:${KIN}))`;
const OBJECT = '(?<object>[^,.;:!?()\\[\\]"“”—–\\n]{1,160})(?=[,;:!?()\\[\\]"“”—–\\n]|\\.(?!\\w)|$)';
const DATE = '(?<object>[^.;:!?()\\n]{1,40})';
const COUNT = '(?:an?|another|one|two|three|four|five|six|\\d+)';
const CALLED = '(?:,? (?:named|called) [^,.;:!?()\\n]{1,40})?';
const AM = "(?:i'm|i am|im)";
const IS = `(?:${AM}|${OTHERS}(?:'s| is)) ${HOW}`;
const WE = `(?:i|we) ${HOW}`;
/** When something happened, before who it happened to. */
const WHEN = `(?:(?:last|this) (?:\\w+)|yesterday|in (?:${MONTHS})|(?:\\w+) (?:days|weeks|months|years?|week|month) ago),?`;
const NOT = "(?:don't|do not|dont)";

function sentence(words: string): RegExp {
  return new RegExp(`^${words}`, 'i');
}

/** `I live in` and `my sister lives in`. @param verb with `(s)` where the third person has it */
function either(verb: string, object = OBJECT): RegExp {
  const [mine, theirs] = [verb.replaceAll('(s)', ''), verb.replaceAll('(s)', 's')];
  return sentence(`(?:${WE}(?:${mine})|${OTHERS} ${HOW}(?:${theirs})) ${object}`);
}

/** What may stand where a place would and names none. */
const NO_PLACE =
  /^(?:an?|my|our|your|his|her|their|this|that|these|those|here|there|it|fear|harmony|peace|hope|denial|pain|poverty|comfort|luxury|person|bed|town|different|both|one|two|another|anyone|someone|me|us|the (?!(?-i:[A-Z])))\b/i;
const NAMED = /^(?:the )?\p{Lu}/u;
/** Places are also typed small: one or two words then. */
const PLACE = /^(?:the )?\p{Lu}|^\p{Ll}{3,}(?: \p{Ll}{3,})?$/u;
const PERSON = /^\p{Lu}[\p{L}'.-]*(?: \p{Lu}[\p{L}'.-]*){0,3}$/u;
const NO_EMPLOYER =
  /^(?:an? (?:day|week|year|hour|month|while)|(?:the )?(?:nights?|weekends?)|home|the moment|myself|himself|herself|it|them|him|her|you|us|me|free|now|this|that|least|first|\d)\b/i;
/** What is liked just now, or only pointed at, or a person spoken to. */
const NO_THING =
  /^(?:it|its|this|that|these|those|them|him|her|you|your|yours|u|ur|me|us|myself|how|what|when|where|why|who|which|whatever|everything|anything|something|nothing|everyone|everybody|someone|anyone|all|each|any|some|one|to$|to (?:be|see|hear|say|know|think|go)|being|seeing (?:you|how|that|them)|hearing|getting|having (?:you|an?|this|that|someone)|knowing|both|so|not|a lot|lots|more|most|two|three|some|his|their|our|my|an? (?!(?:good|nice|cup|glass)\b)|the(?! (?:beach|ocean|sea|mountains?|outdoors|rain|snow|piano|guitar|violin|drums|cold|heat|countryside)\b))\b|^[^\p{L}\p{N}]|\b(?:him|her|them|it|you|your|this|that|these|those|here)\b/iu;

const RULES: readonly Rule[] = [
  // What ends comes first: its words hold what begins.
  {
    predicate: 'likes',
    ends: true,
    pattern: sentence(`${WE}${NOT} ${HOW}(?:like|love|enjoy) (?<object>[^,.;:!?]{1,60}?) any ?more`),
  },
  {
    predicate: 'likes',
    ends: true,
    pattern: sentence(`${WE}(?:no longer ${HOW}(?:like|love|enjoy)|used to (?:like|love|enjoy)) ${OBJECT}`),
  },
  {
    predicate: 'home',
    ends: true,
    pattern: sentence(
      `${WE}(?:no longer live|${NOT} live|(?:have )?moved out|used to live) (?:in|of) ${OBJECT}`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'workplace',
    ends: true,
    pattern: sentence(`${WE}(?:no longer work|${NOT} work|used to work) (?:at|for) ${OBJECT}`),
    except: NO_EMPLOYER,
  },
  {
    predicate: 'workplace',
    ends: true,
    object: '',
    pattern: sentence(`i ${HOW}(?:have )?(?:quit|left|resigned from) my (?:old )?job(?! (?:at|with))`),
  },
  {
    predicate: 'workplace',
    ends: true,
    pattern: sentence(`i ${HOW}(?:have )?(?:quit|left|resigned from) my (?:old )?job (?:at|with) ${OBJECT}`),
  },
  {
    predicate: 'plays',
    ends: true,
    pattern: sentence(
      `i ${HOW}(?:${NOT} play|no longer play|(?:have )?(?:stopped|quit) playing) (?:the )?${OBJECT}`,
    ),
  },
  {
    predicate: 'pet',
    ends: true,
    pattern: sentence(`${WE}no longer have (?<object>(?:an?|any|my|our) [^,.;:!?]{1,40})`),
    only: new RegExp(`(?:${ANIMALS})`, 'i'),
  },

  {
    predicate: 'name',
    pattern: sentence(
      `(?:my (?:full |first |real )?name(?:'s| is)|${OTHERS}(?:'s name(?:'s| is)| is (?:named|called))) ${OBJECT}`,
    ),
    only: PERSON,
  },
  {
    predicate: 'name',
    pattern: /^(?:hi|hello|hey)(?: there)?[, ]+(?:i'm|i am) (?<object>[^,.;:!?]{2,40})[.!]*$/i,
    only: PERSON,
    confidence: LIKELY,
  },
  {
    predicate: 'nickname',
    pattern: sentence(`(?:(?:(?:you can|please|just|people|everyone|my friends) )+call|call) me ${OBJECT}`),
    only: PERSON,
  },
  {
    predicate: 'birthday',
    pattern: sentence(`(?:my birthday(?:'s| is)|${OTHERS}'s birthday(?:'s| is)|i was born)(?: on)? ${DATE}`),
    only: new RegExp(`\\b(?:${MONTHS})\\b|\\d[/.-]\\d`, 'i'),
  },
  {
    predicate: 'age',
    pattern: sentence(
      `(?:${IS}|i ${HOW}(?:have )?turned )(?<object>\\d{1,3})(?= ?(?:$|[.!]|years? old|today\\b|yesterday\\b))`,
    ),
  },
  {
    predicate: 'bloodType',
    pattern: sentence(`my blood type(?:'s| is)(?: type)? ${OBJECT}`),
    only: /^(?:A|B|AB|O)\b/i,
  },

  {
    predicate: 'plansToMove',
    pattern: sentence(
      `(?:${AM}|we're|we are|i'll|we'll|i will|we will) ${HOW}(?:be )?(?:(?:going|planning|about) to (?:move|relocate)|moving|relocating) (?:back )?to ${OBJECT}`,
    ),
    only: NAMED,
    except: NO_PLACE,
  },
  {
    predicate: 'plansToMove',
    pattern: sentence(`${WE}(?:(?:plan|decided|intend) to )(?:move|relocate) (?:back )?to ${OBJECT}`),
    only: NAMED,
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: sentence(
      `(?:${WHEN} )?(?:${WE}(?:have )?|(?:i've|we've) ${HOW}|${OTHERS} ${HOW})(?:moved|relocated) (?:back )?(?:from [^,.;:!?()\\n]{1,40}? )?to ${OBJECT}`,
    ),
    only: NAMED,
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: either('(?:live(s)|reside(s)) (?:in|at|near)'),
    only: PLACE,
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: sentence(
      `(?:${IS}(?:living|based)|(?:i've|we've|i have|we have) ${HOW}(?:been living|lived)) in ${OBJECT}`,
    ),
    only: PLACE,
    except: NO_PLACE,
  },
  {
    predicate: 'origin',
    pattern: sentence(`${IS}(?:originally )?from ${OBJECT}`),
    only: NAMED,
    except: NO_PLACE,
  },
  {
    predicate: 'origin',
    pattern: either('(?:come(s) from|grew up in|was born(?: and raised)? in)'),
    only: NAMED,
    except: NO_PLACE,
  },
  {
    predicate: 'job',
    begins: true,
    pattern: sentence(
      `(?:${WE}work|${OTHERS} ${HOW}works|${IS}working)(?: (?:full|part)[- ]time)? as (?:an? )?${OBJECT}`,
    ),
  },
  {
    predicate: 'job',
    begins: true,
    pattern: sentence(`(?:${IS}|my job is |i ${HOW}became )an? ${OBJECT}`),
    only: new RegExp(`^(?:[\\w-]+ ){0,3}(?:${JOBS})$`, 'i'),
  },
  {
    predicate: 'workplace',
    begins: true,
    pattern: either('(?:work(s)|started working|got a job) (?:at|for)'),
    except: NO_EMPLOYER,
  },
  {
    predicate: 'workplace',
    begins: true,
    pattern: sentence(`${IS}(?:working|employed) (?:at|for) ${OBJECT}`),
    except: NO_EMPLOYER,
  },
  {
    predicate: 'school',
    begins: true,
    pattern: either('(?:go(es) to|attend(s)|stud(?:y|ies) at)'),
    only: /\S (?:university|college|school|academy|institute)\b|^university of /i,
    except: /^(?:the|an?) /i,
  },
  {
    predicate: 'studies',
    begins: true,
    pattern: sentence(`(?:${WE}major(?:ed)? in|${IS}majoring in|my major(?:'s| is)) ${OBJECT}`),
  },
  {
    predicate: 'marriage',
    pattern: sentence(
      `${IS}(?:happily )?(?<object>married|single|divorced|widowed|engaged)(?=$|[.,!]| (?:to|with|now|and|for)\\b)`,
    ),
  },

  {
    predicate: 'allergy',
    pattern: sentence(`${IS}(?:(?:severely|very|mildly|deathly) )?allergic to ${OBJECT}`),
    except: NO_THING,
  },
  { predicate: 'allergy', pattern: either('ha(?:ve|s) an?', '(?<object>\\w+(?: \\w+)?) allergy') },
  {
    predicate: 'diet',
    pattern: sentence(
      `${IS}(?:an? )?(?:strict )?(?<object>vegan|vegetarian|pescatarian)(?=$|[.,!]| (?:now|and|so|but)\\b)`,
    ),
  },
  {
    predicate: 'avoids',
    pattern: sentence(`i ${HOW}(?:can't|cannot|${NOT}) ${HOW}eat ${OBJECT}`),
    only: /^(?:(?:raw|spicy|red|dairy|sea) ?)?[a-z]{3,}(?: (?:or|and) [a-z]+)?$/i,
    except:
      /^(?:much|enough|anything|breakfast|lunch|dinner|out|before|after|late|well|now|that|this|too|right|today|with|alone|healthy|yet|there|here|lots|more|properly|everything|like|any ?more)\b/i,
  },
  {
    predicate: 'favourite',
    pattern: sentence(
      `my (?:all[- ]time )?favou?rite (?<of>(?!thing|part|one|way|memor)[\\w-]+(?: [\\w-]+){0,2}?)(?:'s| is| are| has to be) ${OBJECT}`,
    ),
    except:
      /^(?:when|how|what|that|to|the (?:one|way|part|moment|fact)|probably|definitely|it|this|these|those|by|because|also|so|not|always|still|just|your)\b/i,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: sentence(
      `one of my (?:all[- ]time )?favou?rite (?!things|parts|ones|ways|memor)[\\w-]+(?: [\\w-]+){0,2} is ${OBJECT}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'dislikes',
    confidence: LIKELY,
    pattern: either(
      "(?:hate(s)|dislike(s)|despise(s)|detest(s)|can't stand|cannot stand|(?:do|does)(?:n't| not) (?:really )?(?:like|enjoy))",
    ),
    except: NO_THING,
  },
  {
    predicate: 'dislikes',
    confidence: LIKELY,
    pattern: sentence(
      `${IS}(?:not (?:really )?(?:a (?:big |huge )?fan of|into|fond of)|(?:terrified|scared|afraid) of) ${OBJECT}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: either('(?:like(s)|love(s)|enjoy(s)|adore(s))'),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: sentence(
      `${IS}(?:a (?:big |huge |massive )?fan of|(?:really |so |super |very )?(?:into|fond of|obsessed with|passionate about|keen on)) ${OBJECT}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'hobby',
    pattern: sentence(
      `(?:my (?:main |biggest |new )?hobb(?:y is|ies are|ies include)|one of my hobbies is) ${OBJECT}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'plays',
    pattern: either('play(s)(?: the)?'),
    only: new RegExp(`^(?:${INSTRUMENTS_AND_SPORTS})(?: and (?:the )?\\w+)?$`, 'i'),
  },
  {
    predicate: 'speaks',
    pattern: either('(?:can )?speak(s)'),
    only: new RegExp(`^(?:fluent |some |a little )?(?:${LANGUAGES})\\b`, 'i'),
  },
  {
    predicate: 'pet',
    pattern: sentence(
      `${WE}(?:have|own|adopted|got|rescued) (?<object>${COUNT}(?: [\\w-]+){0,3}? (?:${ANIMALS})${CALLED})(?=$|[,.!]| (?:and|who|that|at home)\\b)`,
    ),
  },
  {
    predicate: 'family',
    pattern: sentence(
      `${WE}have (?<object>${COUNT}(?: [\\w-]+){0,2}? (?:${RELATIVES})(?: and ${COUNT}(?: [\\w-]+)? (?:${RELATIVES}))?${CALLED})(?=$|[,.!]| (?:and|who|that)\\b)`,
    ),
  },
  {
    predicate: 'owns',
    confidence: LIKELY,
    begins: true,
    pattern: sentence(
      `${WE}(?:own|drive|bought|purchased) (?:myself )?(?<object>(?:an? |my (?:first |own ))(?:[\\w-]+ ){0,3}?(?:${DURABLES}))(?=$|[,.!]| (?:and|last|this|in|for|from|yesterday|today)\\b)`,
    ),
  },
];

const OPENING =
  /^(?:(?:oh|well|so|yeah|yes|yep|no|nope|haha|hmm|um|ah|aw+|wow|actually|honestly|anyways?|also|and|but|btw|by the way|fyi|because|since|you know|i mean|to be honest|in fact|for me|personally|thanks|thank you|right|sure|ok|okay|currently|now|these days|today|recently|lately|nowadays|of course|just so you know|as you know|hi|hello|hey|good (?:morning|evening|afternoon))(?: there)?[,!.:\s]+)+/i;
const GREETED = /^(?:hi|hello|hey)(?: there)?[, ]+(?:i'm|i am) [A-Z]/i;
/** Before another part that has a subject of its own. */
const SEAM =
  /(?:,? (?:and|but|so|because|since|plus|cause|though|although|while)|(?<!^(?:hi|hello|hey)(?: there)?),|;|—|–| -) +(?=(?:i|i'm|i've|i'll|we|we're|we've|my|our)\b)/i;
const QUOTED = /"[^"]*"|“[^”]*”/g;
const TOLD =
  /\b(?:he|she|they|who|[A-Z][a-z]+) (?:said|says|told|asked|thinks?|thought|claims?|wrote|goes|was like)\b|\b(?:song|lyrics?|quote|character|roleplay|role-play|act as|pretend|story|essay|poem|prompt)\b/;

/** Where the object ends though no mark says so. */
const OBJECT_END =
  /,| (?:(?:and|but|so) (?:i|it|he|she|they|that|this|you|we|the|there|also|then|always|am|is|was|were|have|has|had|just|now|my|how|when|can|do|don't)\b|because\b|since\b|when\b|whenever\b|where\b|which\b|who\b|that\b|while\b|although\b|though\b|after\b|before\b|until\b|even\b|especially\b|if\b|in order\b|but\b|so\b|as (?:well|soon|long|an?|the|it)\b|cause\b|cuz\b|lol\b|haha)/i;
const PLACE_END =
  / (?:with|for|and|near|in (?=[a-z])|on|by|at|right|to|about|from|last|next|this|again|full|part|during|then|too|now)\b/i;
const PLACES: ReadonlySet<PredicateName> = new Set([
  'home',
  'origin',
  'plansToMove',
  'workplace',
  'school',
  'job',
  'name',
  'nickname',
]);
const TRAILING =
  /(?:,? (?:now|right now|currently|these days|nowadays|too|as well|a lot|so much|very much|at the moment|any ?more|already|actually|though|again|lately|for now|together|myself|here|today|yesterday|tonight|either|at all|btw|the most|more than anything|for (?:\d+|an?|two|three|four|five|many|several) (?:years?|months?|weeks?)|(?:last|this|next) (?:week|month|year|summer|spring|fall|autumn|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)))+$/i;
const MAX_WORDS = 7;

export const english: Reader = {
  language: 'en',
  rules: RULES,
  clauses: (text) =>
    text
      .replaceAll(/[\u2018\u2019]/g, "'")
      // Titles are quoted too; longer passages are somebody's words.
      .replaceAll(QUOTED, (quoted) => (quoted.length <= 32 ? quoted.slice(1, -1) : ' '))
      .split(SEAM)
      .map((part) => part.trim())
      .map((part) => (GREETED.test(part) ? part : part.replace(OPENING, ''))),
  isHearsay: (text) => TOLD.test(text),
  tidy(words, predicate) {
    const uptoEnd = words.split(predicate === 'birthday' ? /$^/ : OBJECT_END)[0] ?? '';
    const place = PLACES.has(predicate) ? (uptoEnd.split(PLACE_END)[0] ?? '') : uptoEnd;
    const object = place
      .replace(/^(?:also|really|just|definitely) /i, '')
      .replace(TRAILING, '')
      .replace(/[\s'*_~-]+$/, '')
      .trim();
    return object === '' || object.split(/\s+/).length > MAX_WORDS ? null : object;
  },
};
