/** Rules for facts in English sentences about the speaker. */
import { wellKnown, type PredicateName } from '../../text/text.ts';
import { LIKELY, predicateFor, type Person, type Reader, type Rule } from './rule.ts';

const CLOSE =
  'wife|husband|fianc[ée]e?|sister|brother|sons?|daughters?|kids|children|grand(?:son|daughter|child|kid)s?';
const KIN = `${CLOSE}|mother|mom|mum|father|dad|daddy|girlfriend|boyfriend|partner|kid|child|baby|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|nephew|niece`;
const PETS =
  'dog|puppy|pup|cat|kitten|rabbit|bunny|hamster|parrot|tortoise|horse|pony|guinea pig|greyhound|labrador|poodle|beagle|corgi|husky|golden retriever|bulldog|terrier|dachshund|chihuahua|border collie';
const FRIENDS =
  'friend|buddy|bestie|boss|manager|co-?worker|colleague|roommate|flatmate|housemate|neighbou?r|classmate|teammate';
const ANIMALS = `(?:${PETS}|turtle|snake|lizard|gecko|ferret|chicken|goat|parakeet|budgie)s?|puppies|bunnies|ponies|huskies|goldfish`;
const RELATIVES =
  'brothers?|sisters?|siblings?|sons?|daughters?|kids?|boys|girls|child|children|twins|grandchild(?:ren)?|grandkids|grandsons?|granddaughters?|nephews?|nieces?';
const JOBS =
  '(?:school ?)?teacher|(?:district )?nurse|midwife|engineer|developer|programmer|doctor|physician|surgeon|dentist|pharmacist|therapist|psychologist|psychiatrist|counsel+or|lawyer|attorney|paralegal|accountant|auditor|bookkeeper|banker|analyst|consultant|designer|illustrator|painter|sculptor|photographer|filmmaker|writer|author|novelist|journalist|reporter|editor|translator|interpreter|librarian|professor|lecturer|tutor|scientist|biologist|chemist|physicist|researcher|student|intern|apprentice|manager|secretary|receptionist|clerk|cashier|realtor|barista|bartender|waiter|waitress|chef|cook|baker|butcher|farmer|gardener|florist|beekeeper|carpenter|plumber|electrician|mechanic|welder|roofer|(?:truck |bus |taxi )?driver|dispatcher|pilot|sailor|soldier|firefighter|paramedic|police officer|detective|veterinarian|vet|architect|contractor|musician|composer|actor|actress|coach|trainer|instructor|hairdresser|barber|tailor|nanny|housewife|homemaker|stay-at-home (?:mom|mum|dad|parent)|entrepreneur|freelancer|social worker|civil servant|pastor|priest';
const CONDITIONS =
  "asthma|(?:type [12] )?diabetes|celiac(?: disease)?|coeliac(?: disease)?|adhd|autism|epilepsy|arthritis|(?:rheumatoid|psoriatic) arthritis|migraines?|high blood pressure|hypertension|high cholesterol|ibs|ibd|crohn's(?: disease)?|colitis|eczema|psoriasis|lupus|fibromyalgia|multiple sclerosis|parkinson's(?: disease)?|alzheimer's(?: disease)?|dementia|anemia|anaemia|astigmatism|glaucoma|tinnitus|sleep apn(?:o)?ea|insomnia|gout|scoliosis|osteoporosis|endometriosis|pcos|hypothyroidism|a heart condition|dyslexia|(?:clinical )?depression|ptsd|ocd|bipolar(?: disorder)?|(?:breast |lung |skin |prostate )?cancer|hay fever|acid reflux|a torn meniscus|a bad (?:back|knee|hip)|a pacemaker";
const STATES =
  '(?:type [12] )?diabetic|pre-?diabetic|asthmatic|epileptic|an[a]?emic|colou?r-?blind|dyslexic|autistic|lactose[- ]intolerant|gluten[- ]intolerant|c(?:o)?eliac|hard of hearing|short-?sighted|near-?sighted';
const FOODS =
  'gluten|dairy|lactose|milk|cheese|meat|red meat|pork|beef|lamb|chicken|fish|shellfish|seafood|shrimp|prawns|eggs?|nuts|peanuts|sugar|caffeine|coffee|alcohol|wheat|soy|tofu|mushrooms|onions?|garlic|tomatoes|spicy food|raw fish|bread|carbs|grapefruit|bananas?|avocados?|ibuprofen|aspirin|penicillin|codeine|sulfa';
const INSTRUMENTS_AND_SPORTS =
  'piano|guitar|bass|violin|cello|viola|flute|clarinet|saxophone|sax|trumpet|trombone|drums?|ukulele|harp|banjo|mandolin|accordion|keyboards?|tennis|soccer|football|basketball|baseball|volleyball|badminton|golf|hockey|cricket|rugby|chess|softball|pickleball';
const LANGUAGES =
  'English|Japanese|Chinese|Mandarin|Cantonese|Korean|Spanish|French|German|Italian|Portuguese|Russian|Arabic|Hindi|Urdu|Bengali|Punjabi|Thai|Vietnamese|Indonesian|Dutch|Swedish|Finnish|Norwegian|Danish|Turkish|Polish|Greek|Hebrew|Tagalog|Swahili|Welsh|Irish|Catalan|Ukrainian';
const DURABLES =
  'car|truck|pickup|van|camper(?: van)?|motorcycle|motorbike|scooter|bike|bicycle|house|apartment|flat|condo|cabin|boat|guitar|piano|violin|cello|banjo|keyboard|camera|telescope|laptop|tablet|console|sewing machine|drum kit|tractor';
const MAKES =
  'Honda|Toyota|Ford|Subaru|Nissan|Mazda|Hyundai|Kia|Volkswagen|VW|BMW|Audi|Volvo|Tesla|Chevy|Chevrolet|Jeep|Lexus|Mini|Fiat|Renault|Peugeot|Skoda|Mercedes|Suzuki|Yamaha|Harley';
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const NUMBER_WORD =
  '(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|eighteen|nineteen';
const COUNT = '(?:an?|another|one|two|three|four|five|six|\\d)';

/** Adverbs between subject and verb. */
const HOW =
  '(?:(?:also|still|now|just|really|currently|actually|absolutely|truly|always|both|personally|especially|already|recently|finally|mostly|particularly|quite|happily) )*';
const NAME = "(?-i:\\p{Lu}(?:[\\p{L}-]|['’](?!s\\b))*\\p{Ll})";
const WHOSE = '(?:(?:older|younger|little|big|elder|twin|best|late|oldest|youngest|eldest|middle) )*';
/** A person or animal of the speaker, by relation and by name: my (younger) sister (,) (Naomi). */
const OTHERS = `(?:my|our) (?<whose>${WHOSE}(?:${KIN}|${PETS}|${FRIENDS}))(?:,? (?<name>${NAME}),?)?`;
const OBJECT = '(?<object>[^,.;:!?()\\[\\]"“”—–\\n]{1,160})(?=[,;:!?()\\[\\]"“”—–\\n]|\\.(?!\\w)|$)';
const END = '(?=$|[,.!;)]| (?:and|now|so|but|too|which|who|since|at|for|these|btw)\\b)';
const AM = "(?:i'm|i am|im)";
const IS = `(?:${AM}|${OTHERS}(?:'s| is)) ${HOW}`;
const WE = `(?:i|we) ${HOW}`;

function rule(limits: Omit<Rule, 'pattern'>, words: string): Rule {
  return { ...limits, pattern: new RegExp(`^${words}`, 'iu') };
}

/** `I live in` and `my sister lives in`. @param verb with `(s)` where the third person has one */
function either(verb: string, object = OBJECT): string {
  const [mine, theirs] = [verb.replaceAll('(s)', ''), verb.replaceAll('(s)', 's')];
  return `(?:${WE}(?:${mine})|${OTHERS} ${HOW}(?:${theirs})) ${object}`;
}

/** I have, I've got, my mother has. */
function having(object: string): string {
  return `(?:${WE}(?:have|got|have got|suffer from)|(?:i've|we've) ${HOW}(?:got|had)|${OTHERS} ${HOW}(?:has|has got)) ${object}`;
}

const NAMED = /^(?:the )?\p{Lu}/u;
/** Phrases in the position of a place that are not places. */
const NO_PLACE =
  /^(?:the (?![A-Z])|plan|phase|team|step|page|linux|windows|mac(?:os)?|android|ios|python|rust|google|microsoft|amazon|apple|slack|zoom|github|notion|monday|tuesday|wednesday|thursday|friday|saturday|sunday|me|it|hr|accounting|marketing|sales|god|heaven|hell|fear|hope)\b/i;
const PERSON =
  /^(?!(?:Crazy|Maybe|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b)\p{Lu}[\p{L}'.-]*\p{Ll}(?: \p{Lu}[\p{L}'.-]*){0,3}$/u;
/** What a speaker can also be: Irish, a Leo, Muslim. */
const NO_OWN_NAME =
  /(?:ish|ese|ian|ean|can|man|stani|aeli|raqi|rani|pali|abi|ngali|ist|ic)$|^(?:Dutch|French|Welsh|Greek|Czech|Swiss|Thai|Muslim|Hindu|Sikh|Atheist|Aries|Taurus|Gemini|Leo|Virgo|Libra|Scorpio|Pisces|Capricorn|Aquarius|Gen|Team|God|Santa)$/u;
const NO_EMPLOYER =
  /^(?:an? (?:day|week|year|hour|month|while|loss|snail|desk|steady)|(?:the )?(?:nights?|weekends?|moment)|home|myself|himself|herself|it|them|him|her|you|us|me|free|now|this|that|least|first|odd|all|my|the same|\d)\b/i;
/** Objects that are liked only now, or are pronouns, or people addressed. */
const NO_THING =
  /^(?:it|its|this|that|these|those|them|him|her|you|your|yours|u|ur|me|us|myself|how|what|when|where|why|who|which|whatever|everything|anything|something|nothing|everyone|everybody|someone|anyone|(?:food|games?|things|stuff|people)$|all|each|every|any|some|one|to$|to (?:be|see|hear|say|know|think|go|do|have|get|make|break|admit)|being|seeing (?:you|how|that|them)|hearing|getting|having (?:you|an?|this|that|someone)|knowing|both|so|not|a lot|lots|more|most|two|three|his|their|our|my|an? |the(?! (?:beach|ocean|sea|mountains?|outdoors|rain|snow|piano|guitar|violin|drums|cold|heat|countryside)\b))\b|^[^\p{L}\p{N}]|\b(?:him|her|them|it|you|your|this|that|these|those|here)\b/iu;

const RULES: readonly Rule[] = [
  // Endings come first: their patterns contain those of beginnings.
  rule(
    { predicate: 'likes', ends: true },
    `${WE}(?:don't|do not|dont) ${HOW}(?:like|love|enjoy) (?<object>[^,.;:!?]{1,60}?) any ?more`,
  ),
  rule(
    { predicate: 'likes', ends: true },
    `${WE}(?:no longer ${HOW}(?:like|love|enjoy)|used to (?:like|love|enjoy)) ${OBJECT}`,
  ),
  rule(
    { predicate: 'home', ends: true, only: NAMED, except: NO_PLACE },
    `${WE}(?:no longer live|don't live|(?:have )?moved out|used to live) (?:in|of) ${OBJECT}`,
  ),
  rule(
    { predicate: 'workplace', ends: true, except: NO_EMPLOYER },
    `${WE}(?:no longer work|don't work|used to work) (?:at|for) ${OBJECT}`,
  ),
  rule(
    { predicate: 'workplace', ends: true, object: '' },
    `i ${HOW}(?:have )?(?:quit|left|resigned from) my (?:old )?job`,
  ),

  rule({ predicate: 'name', only: PERSON }, `my (?:full |first |real )?name(?:'s| is) ${OBJECT}`),
  rule(
    { predicate: 'name', only: PERSON, confidence: LIKELY },
    `(?:hi|hello|hey)(?: there)?[, ]+(?:i'm|i am) (?<object>[^,.;:!?]{2,40})[.!]*$`,
  ),
  rule(
    { predicate: 'name', only: PERSON, except: NO_OWN_NAME, confidence: LIKELY },
    `${AM} (?<object>${NAME})(?= here\\b|,? (?:btw|by the way)\\b)`,
  ),
  rule(
    { predicate: 'nickname', only: PERSON },
    `(?:(?:(?:you can|please|just|people|everyone|my friends|the kids) )*call) me ${OBJECT}`,
  ),
  rule(
    { predicate: 'birthday', only: new RegExp(`(?=.*\\d).*\\b(?:${MONTHS})\\b|\\d[/.-]\\d`, 'i') },
    `(?:(?:my birthday|${OTHERS}'s birthday)(?:'s| is)|i was born|${OTHERS} was born)(?: on)? (?<object>[^.;:!?()\\n]{1,40})`,
  ),
  rule(
    { predicate: 'age' },
    `(?:${IS}|i ${HOW}(?:have )?turned )(?<object>[1-9]\\d?|${NUMBER_WORD})(?= ?(?:$|[.,!]|years? old|today\\b|yesterday\\b|now\\b))`,
  ),
  rule(
    { predicate: 'home', begins: true, only: NAMED, except: NO_PLACE },
    `(?:(?:last|this) \\w+,? |in (?:${MONTHS}|\\d{4}),? )?(?:${WE}(?:have )?|(?:i've|we've) ${HOW}|${OTHERS} ${HOW})(?:moved|relocated) (?:back )?(?:from [^,.;:!?()\\n]{1,40}? )?to ${OBJECT}`,
  ),
  rule(
    { predicate: 'home', begins: true, only: NAMED, except: NO_PLACE },
    `(?:${WE}(?:live|reside)|${OTHERS} ${HOW}(?:lives|resides)|${IS}(?:living|based)|(?:i've|we've|i have|we have) ${HOW}(?:been living|lived)|home is)(?: with [^,.;:!?()\\n]{1,30}?(?= (?:in|at|near) ))?(?: (?:in|at|near))?(?: an? (?:\\w+ ){0,2}(?:flat|apartment|house|room|studio) (?:in|near))?(?: an? (?:\\w+ )?(?:village|town|city|suburb|place|neighbou?rhood) (?:called|named|near|of))? ${OBJECT}`,
  ),
  // Moved to Bristol last month: without a subject, only at the beginning of a turn.
  rule(
    { predicate: 'home', begins: true, only: NAMED, except: NO_PLACE, earlier: /^$/u },
    `(?:(?:just|finally|recently) )*moved (?:back )?(?:from [^,.;:!?()\\n]{1,40}? )?to ${OBJECT}`,
  ),
  // My brother Greg (in Phoenix); my daughter is coming up from Derby.
  rule(
    { predicate: 'home', confidence: LIKELY, only: NAMED, except: NO_PLACE },
    `${OTHERS}(?: \\((?:lives |living |based )?in|(?:'s| is) (?:coming|driving|flying) (?:up|down|over|in) from) ${OBJECT}`,
  ),
  rule(
    { predicate: 'origin', only: NAMED, except: NO_PLACE },
    `(?:${IS}(?:originally )?from|${WE}(?:come from|grew up in|was born(?: and raised)? in)|${OTHERS} ${HOW}(?:comes from|grew up in|was born in)) ${OBJECT}`,
  ),
  rule(
    { predicate: 'job', begins: true, only: /^(?:[\w-]+ ){0,4}[\w-]+$/ },
    `(?:${WE}work|${OTHERS} ${HOW}works|${IS}working)(?: (?:full|part)[- ]time)? as an? ${OBJECT}`,
  ),
  rule(
    {
      predicate: 'job',
      begins: true,
      only: new RegExp(`^(?:[\\w-]+ ){0,3}(?:${JOBS})$`, 'i'),
      except:
        /^(?:bit|kind|sort|better|good|great|terrible|horrible|bad|awful|lousy|decent|natural|born|real|big|huge|total|hopeless|slow|careful|nervous|wannabe|aspiring|failed|secret|closet|little|mediocre|fast)\b/i,
    },
    `(?:${IS}|my job is |i ${HOW}became )an? ${OBJECT}`,
  ),
  rule(
    {
      predicate: 'job',
      begins: true,
      object: 'teacher of $',
      only: /^(?!(?:you|him|her|them|my|myself|people|it|this|that|us|our|a|the)\b)[\p{L}\d' -]{3,40}$/iu,
    },
    `${WE}teach ${OBJECT}`,
  ),
  rule(
    { predicate: 'job', begins: true, object: 'driver of a $' },
    `${WE}drive (?:an? )?(?<object>school bus|bus|taxi|cab|lorry|semi|big rig|forklift|tram|ambulance|truck(?=,? (?:long[- ]haul|for a living)))\\b`,
  ),
  rule(
    { predicate: 'job', begins: true, object: 'running a $' },
    `${WE}(?:run|own) an? (?<object>(?:[\\w-]+ ){0,3}(?:shop|store|truck|bakery|caf[ée]|restaurant|business|farm|studio|salon|agency|school|clinic|bar|pub|stall|company|hotel|nursery))${END.replace('(?=', '(?= in |')}`,
  ),
  rule(
    {
      predicate: 'formerJob',
      only: new RegExp(`^(?:[\\w-]+ ){0,3}(?:${JOBS})(?: for (?:\\w+|\\w+-\\w+) years)?$`, 'i'),
      except: /\b(?:bit|kind|sort|better|good|great|terrible|bad|natural|real|big|huge|total)\b/i,
    },
    `(?:i was|i used to (?:be|work as)|${OTHERS} (?:was|used to be)) an? (?:retired )?${OBJECT}`,
  ),
  rule(
    { predicate: 'workplace', begins: true, except: NO_EMPLOYER },
    `(?:${WE}(?:work|started working|got a job)|${OTHERS} ${HOW}works|${IS}(?:working|employed)) (?:at|for) ${OBJECT}`,
  ),
  rule(
    { predicate: 'marriage' },
    `${IS}(?<object>married|single|divorced|widowed|engaged)(?=$|[.,!]| (?:now|and|for|with)\\b)`,
  ),
  rule(
    { predicate: 'marriage', begins: true },
    `(?:${WE}|(?:${OTHERS}) ${HOW}|(?:i've|we've) ${HOW})(?:just )?got (?<object>married|divorced|engaged)`,
  ),

  rule(
    {
      predicate: 'allergy',
      only: /^(?!(?:mondays?|mornings?|work|nonsense|bullshit|effort|commitment|drama|exercise|math|fun|people|kids|housework|stupid|his|her|my|your|their|anything|everything|nothing|you|him|them|it|that|this|most|some|a|the)\b)[\p{L}' -]{3,40}$/iu,
    },
    `${IS}(?:(?:severely|very|mildly|deathly) )?allergic to ${OBJECT}`,
  ),
  rule({ predicate: 'allergy' }, having(`an? (?:severe |bad |mild )?(?<object>\\w+(?: \\w+)?) allergy`)),
  rule({ predicate: 'diet' }, `${IS}(?:an? )?(?:strict )?(?<object>vegan|vegetarian|pescatarian)${END}`),
  rule(
    { predicate: 'avoids' },
    `(?:${WE}(?:can't|cannot|don't|do not|never)|${OTHERS} ${HOW}(?:can't|cannot|doesn't|does not)) ${HOW}(?:eat|have|take|drink|do) (?<object>(?:${FOODS})(?: (?:or|and) (?:${FOODS}))?)(?: any ?more)?${END}`,
  ),
  rule({ predicate: 'health' }, `${IS}(?:an? )?(?<object>${STATES})\\b`),
  rule(
    { predicate: 'health' },
    having(`(?:really bad |bad |severe |mild |chronic )?(?<object>${CONDITIONS})(?![\\w-])`),
  ),
  rule(
    { predicate: 'health' },
    `(?:i|${OTHERS}) (?:once )?had (?<object>an? (?:ulcer|stroke|heart attack|concussion|miscarriage|hip replacement|knee replacement|c-section|bypass)(?: (?:in|last) \\w+)?)`,
  ),
  rule(
    { predicate: 'health', except: NO_THING },
    `(?:i was|i've been|i got|${OTHERS} (?:was|got|has been)) ${HOW}diagnosed (?:with|as) (?:an? )?${OBJECT}`,
  ),
  rule(
    {
      predicate: 'favourite',
      except:
        /^(?:when|how|what|that|to|the (?:one|way|part|moment|fact)|probably|definitely|it|this|these|those|by|because|also|so|not|always|still|just|your|where|in|on|at|getting|gone|broken|over|done)\b/i,
    },
    `my (?:all[- ]time )?favou?rite (?<of>(?!thing|part|one|way|memor|moment|is\\b)[\\w-]+(?: [\\w-]+){0,2}?)(?:'s| is| are) ${OBJECT}`,
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    either("(?:hate(s)|dislike(s)|detest(s)|can't stand|cannot stand)"),
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    `(?:${WE}(?:don't|do not|dont)|${OTHERS} ${HOW}(?:doesn't|does not)) (?:really )?(?:like|enjoy) ${OBJECT}`,
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    `${IS}(?:not (?:really )?(?:a (?:big |huge )?fan of|fond of)|(?:terrified|scared|afraid) of) ${OBJECT}`,
  ),
  rule(
    { predicate: 'likes', confidence: LIKELY, except: NO_THING },
    either('(?:like(s)|love(s)|enjoy(s)|adore(s))'),
  ),
  rule(
    { predicate: 'likes', confidence: LIKELY, except: NO_THING },
    `${IS}(?:a (?:big |huge |massive )?fan of|(?:really |so |super |very )?(?:into|fond of|obsessed with|passionate about)) ${OBJECT}`,
  ),
  rule(
    { predicate: 'hobby', except: NO_THING },
    `(?:my (?:main |biggest |new )?hobb(?:y is|ies are|ies include)|one of my hobbies is) ${OBJECT}`,
  ),
  rule(
    { predicate: 'plays' },
    either(
      'play(s)(?: the)?',
      `(?<object>(?:${INSTRUMENTS_AND_SPORTS})(?: and (?:the )?(?:${INSTRUMENTS_AND_SPORTS}))?)\\b`,
    ),
  ),
  rule(
    {
      predicate: 'speaks',
      only: new RegExp(
        `^(?:fluent |some |a little |a bit of )?(?-i:${LANGUAGES})(?! (?:about|like|as))\\b`,
        'i',
      ),
    },
    either('(?:can )?speak(s)'),
  ),
  rule(
    { predicate: 'pet' },
    `(?:${WE}(?:have|own|adopted|got|rescued|have got)|(?:i've|we've) ${HOW}(?:got|adopted|rescued)) (?<object>${COUNT}(?: [\\w-]+){0,2}? (?:${ANIMALS})(?:,? (?:named|called) [^,.;:!?()\\n]{1,40})?)${END}`,
  ),
  rule(
    { predicate: 'pet' },
    `${WE}have (?<object>${NAME}), (?:he|she)(?:'s| is) (?:my |an? )(?:[\\w-]+ ){0,2}(?:${ANIMALS}|tom|tomcat|tabby|mutt|terrier)${END}`,
  ),
  rule(
    { predicate: 'family' },
    `(?:${WE}(?:have|got|have got)|(?:i've|we've) ${HOW}got) (?<object>${COUNT}(?: [\\w-]+){0,2}? (?:${RELATIVES})(?:(?: and|,) ${COUNT}(?: [\\w-]+)? (?:${RELATIVES}))?(?:, ${NAME}(?: \\d+)?(?:,? and ${NAME}(?: \\d+)?)?)?)${END}`,
  ),
  rule(
    { predicate: 'owns', confidence: LIKELY, begins: true },
    `(?:(?:${WE}|i've ${HOW})(?:own|drive|bought|purchased|got) (?:myself |me )?|got me )(?<object>(?:an? |my (?:first |own ))(?:[\\w-]+ ){0,3}?(?:${DURABLES}|(?-i:${MAKES})(?: [\\w-]+)?|(?-i:\\p{Lu}[\\w-]*\\d\\w*)(?: hybrid)?)|an? (?:used|new|second-?hand) (?-i:\\p{Lu}[\\w-]+))(?=$|[,.!]| (?:and|too|that|last|this|in|from|yesterday|today|to)\\b)`,
  ),
];

const OPENING =
  /^(?:(?:oh|well|so|yeah|yes|yep|no|nope|haha|lol|hmm|um|ah|aw+|wow|thx|sorry|update|being honest|actually|honestly|anyways?|also|and|but|btw|by the way|fyi|for context|because|since|you know|i mean|to be honest|in fact|for me|personally|thanks|thank you|right|sure|ok|okay|currently|now|these days|today|recently|lately|nowadays|of course|just so you know|as you know|whatever you suggest|keep in mind|hi|hello|hey|good (?:morning|evening|afternoon))(?: there)?[,!.:\s]+)+/i;
const GREETED = /^(?:hi|hello|hey)(?: there)?[, ]+(?:i'm|i am) [A-Z]/i;
/** A boundary before a part with its own subject. */
const SEAM =
  /(?:,? (?:and|but|so|because|since|plus|cause|though|although|while)|(?<!^(?:hi|hello|hey)(?: there)?),|[;:]|—|–| -| in mind) +(?=(?:i|i'm|i've|i'll|we|we're|we've|my|our)\b)/i;
const QUOTED = /"[^"]*"|“[^”]*”/g;
const TOLD =
  /\b(?:he|she|they|who|everyone|everybody|people|\p{Lu}\p{Ll}+|boss|doctor|mom|mum|dad|friend) (?:said|says|told|asked|thinks?|thought|claims?|wrote|goes|was like)\b/u;

/** Where the object ends without a punctuation mark. */
const OBJECT_END =
  /,| (?:(?:and|but|so) (?:i|it|he|she|they|that|this|you|we|the|there|also|then|always|am|is|was|were|have|has|had|just|now|my|how|when|can|do|don't)\b|because\b|since\b|when\b|whenever\b|where\b|which\b|who\b|that\b|while\b|although\b|though\b|after\b|before\b|until\b|even\b|especially\b|if\b|in order\b|but\b|so\b|as (?:well|soon|long|an?|the|it|much)\b|than\b|cause\b|cuz\b|lol\b|haha|apparently\b|tho\b|btw\b)/i;
const PLACE_END =
  / (?:with|for|and|near|in (?=[a-z])|on|by|at|right|to|about|from|last|next|this|again|full|part|during|then|too|now|because|these)\b/i;
const PLACES: ReadonlySet<PredicateName> = new Set([
  'home',
  'origin',
  'workplace',
  'job',
  'name',
  'nickname',
]);
const TRAILING =
  /(?:,? (?:now|right now|currently|these days|nowadays|too|as well|a lot|so much|very much|at the moment|any ?more|already|actually|though|again|lately|for now|together|myself|here|today|yesterday|tonight|either|at all|btw|the most|more than anything|obviously|for (?:\d+|an?|two|three|four|five|many|several) (?:years?|months?|weeks?)|on (?:week(?:end|day)s|\w+days)|(?:last|this|next) (?:week|month|year|summer|spring|fall|autumn|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)))+$/i;
const MAX_WORDS = 7;

const RELATION = `${WHOSE}(?:${KIN}|${PETS}|${FRIENDS})`;
/** My sister Naomi; Naomi (my sister); my neighbour's son Max. */
const MINE = new RegExp(
  `(?:\\b(?<before>${NAME})(?:,| \\()(?=(?:my|our) ))?\\s?\\b(?:[Mm]y|[Oo]ur) (?<relation>${RELATION}(?:'s (?:${KIN}|${PETS}|${FRIENDS})(?= \\p{Lu}))?)(?![\\w-]| in[- ]law\\b)(?:(?:'s name is|'s called| is called| is named| named| called|,(?! \\p{Lu}[\\p{L}]+ and\\b))? (?<name>${NAME}))?(?<after>[^!?]{0,16})`,
  'gu',
);
const IS_CLOSE = new RegExp(`(?:^|\\s)(?:${CLOSE})$`, 'u');
/** A word for an animal as part of another: cat food, dog days. */
const PART_OF_WORD =
  /^ (?:allerg|hair|food|litter|bed\b|bowl|toy|sitter|people|person|days?\b|nap\b|park|video|pic|photo|paint|draw|portrait|costume|mom\b|dad\b|lover|meme|treat|shelter|friend|years?\b|seat|room|clothes|stuff|book)/;
/** Capitalised words that are not names. */
const NO_NAME =
  /^(?:I|I'm|I'll|I've|Mr|Mrs|Ms|Dr|And|But|So|Also|She|He|They|We|It|The|This|That|Is|Was|In|On|At|English|Spanish|French|German|Chinese|Japanese|Korean|Italian|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|June|July|August|September|October|November|December)$/;

function peopleIn(text: string): Person[] {
  return [...text.matchAll(MINE)].flatMap((match): Person[] => {
    const { relation: said = '', before = '', name: word = before, after = '' } = match.groups ?? {};
    const relation = said.toLowerCase();
    const name = word === '' || NO_NAME.test(word) || wellKnown(word) ? null : word;
    const head = /(?:guinea pig|golden retriever|border collie|\S+)$/u.exec(relation)?.[0] ?? relation;
    const predicate = predicateFor(head, { pets: PETS, friends: FRIENDS });
    const isPet = predicate === 'pet';
    if (name === null && isCalled(text, match.index, after)) return [];
    const isWorthTelling = name !== null || IS_CLOSE.test(relation) || (isPet && !PART_OF_WORD.test(after));
    if (!isWorthTelling) return [];
    return [{ relation, name, predicate, written: name === null ? relation : `${relation} ${name}` }];
  });
}

/** “Thank you, my brother!”: the person addressed. */
function isCalled(text: string, at: number, after: string): boolean {
  const before = text.slice(0, at).trimEnd();
  return (before === '' || before.endsWith(',')) && /^(?:[,.!?]|$)/.test(after);
}

/** Words that restrict what is liked. */
const NARROWER = /^ (?:that|where|when|who|whose|if|as|than)\b/i;
const LIKINGS: ReadonlySet<PredicateName> = new Set(['likes', 'dislikes']);

/** In casual writing. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  bf: 'boyfriend',
  gf: 'girlfriend',
  hubby: 'husband',
  sis: 'sister',
  bro: 'brother',
};
/** “My dogs called Rex”: the apostrophe is missing. */
const OWN_CALLED = new RegExp(`\\b((?:my|our) (?:${PETS}|${KIN}))s (called|name is)\\b`, 'gi');

export const english: Reader = {
  language: 'en',
  rules: RULES,
  people: peopleIn,
  plain: (sentence) =>
    sentence
      .replaceAll(/[\u2018\u2019]/g, "'")
      .replaceAll(/\b(can|don|doesn|didn|isn|wasn|won|haven|hasn)t\b/gi, "$1't")
      .replaceAll(
        /(?<=\b(?:my|our) )(?:bf|gf|hubby|sis|bro)\b/gi,
        (word) => SHORT_FORMS[word.toLowerCase()] ?? word,
      )
      .replaceAll(OWN_CALLED, "$1's $2")
      // Titles are also quoted; longer quotations are somebody's words.
      .replaceAll(QUOTED, (quoted) => (quoted.length <= 32 ? quoted.slice(1, -1) : ' ')),
  clauses: (text) =>
    text
      .split(SEAM)
      .map((part) => part.trim())
      .map((part) => (GREETED.test(part) ? part : part.replace(OPENING, ''))),
  asOwn: (clause, name) =>
    /^(?:'s)? /.test(clause.slice(name.length)) ? `my friend${clause.slice(name.length)}` : null,
  isHearsay: (text) => TOLD.test(text),
  tidy(words, predicate) {
    if (LIKINGS.has(predicate) && NARROWER.test(OBJECT_END.exec(words)?.[0] ?? '')) return null;
    if (/\b(?:an?|such|very|so) (?:safe|warm|good|nice|calm|cozy|quiet|new|big|little|great)$/i.test(words))
      return null;
    const uptoEnd =
      words.split(predicate === 'birthday' || predicate === 'family' ? /$^/ : OBJECT_END)[0] ?? '';
    const place = PLACES.has(predicate) ? (uptoEnd.split(PLACE_END)[0] ?? '') : uptoEnd;
    const object = place
      .replace(/^(?:also|really|just|definitely) /i, '')
      .replace(TRAILING, '')
      .replace(/[\s'*_~-]+$/, '')
      .trim();
    return object === '' || object.split(/\s+/).length > MAX_WORDS ? null : object;
  },
};
