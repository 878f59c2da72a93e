/** English texts of the page about personal data. */
const few = (count: number, one: string, many: string) =>
  `${new Intl.NumberFormat('en-GB').format(count)} ${count === 1 ? one : many}`;

export const personalEn = {
  policyTitle: 'What happens to it',
  policyAbout:
    'Applies at once to everything that is added to this memory from now on. What is already here stays as it is.',
  policies: {
    mask: {
      name: 'Mask it',
      about:
        'What is found is hidden wherever the memory is searched, learns or recalls. The turn keeps its words, encrypted.',
    },
    mark: {
      name: 'Mark it only',
      about:
        'Turns become private or secret, and their words stay readable. Secret ones are recalled only on request.',
    },
    refuse: {
      name: 'Refuse it',
      about: 'Turns and notes with personal data are not saved at all; whoever sends them is told why.',
    },
    off: { name: 'Do nothing', about: 'Nothing is looked for, and nothing is hidden.' },
  },
  followsServer: 'This memory follows the setting of the server.',
  ownChoice: 'Chosen for this memory alone.',
  followServer: 'Follow the server',
  chosen: 'Saved. It applies from now on.',
  foundTitle: 'What was found',
  foundAbout: 'Newest first. What was found is hidden here, too.',
  kind: 'What was found',
  anyKind: 'Every kind',
  kinds: {
    apiKey: 'API key',
    password: 'password',
    card: 'payment card',
    bankAccount: 'bank account',
    passport: 'passport',
    nationalId: 'identity number',
    phone: 'phone number',
    email: 'e-mail address',
    address: 'postal address',
  },
  level: 'Sensitivity',
  anyLevel: 'Private and secret',
  empty: 'Nothing was found',
  emptyAbout:
    'No passwords, cards, phone numbers, addresses and the like were found. What is missing can be marked below.',
  emptyFiltered: 'Nothing matches this choice.',
  showAll: 'Show everything',
  emptyOff: 'Nothing is looked for in this memory. Choose above what happens to personal data.',
  hidden: 'Hidden as a whole',
  notMasked: 'not masked',
  correct: 'Correct',
  correctTitle: 'Correct what is masked',
  correctAbout: 'Also applies to the search and to what was learned from it. It can be undone.',
  reveal: 'Show the words',
  conceal: 'Hide the words',
  masked: 'Masked here',
  marked: 'Found here',
  nothingMasked: 'Nothing is masked.',
  remove: 'Do not mask',
  removed: 'No longer masked.',
  add: 'Mask more',
  addFirst: 'Show the words first.',
  addAbout: 'Select it in the text above, or type it.',
  words: 'Words to be masked',
  as: 'What they are',
  mask: 'Mask',
  masking: (count: number) => `Masked in ${few(count, 'place', 'places')}.`,
  notThere: 'The text does not contain these words.',
  missedTitle: 'Something was missed',
  missedAbout: 'Find the turn by its words, and mask what is personal in it.',
  missedWords: 'Words of the turn',
  find: 'Find',
  open: 'Mask something',
  see: 'Personal data in it',
};
