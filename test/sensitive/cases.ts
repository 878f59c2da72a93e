/** Sentences with personal data and secrets, and as many that look similar but contain none. */
import type { SensitiveKind } from '../../src/model/model.ts';
import * as v from './values.ts';

export interface Case {
  readonly language: 'ja' | 'zh' | 'en';
  readonly text: string;
  /** Null: a near miss. */
  readonly kind: SensitiveKind | null;
  /** The text that must be found. */
  readonly value: string;
}

type Templates = Readonly<Partial<Record<SensitiveKind, readonly [make: () => string, ...frames: string[]]>>>;

const JA_STREETS = [
  '東京都千代田区丸の内1-2-3',
  '大阪府大阪市北区梅田3丁目1番3号',
  '京都市左京区吉田本町36番地',
  '横浜市中区山下町279-1',
  '札幌市中央区北一条西2丁目',
  '福岡市博多区博多駅前3-25-21',
];
const ZH_STREETS = [
  '北京市朝阳区建国路88号',
  '上海市浦东新区世纪大道100号',
  '广东省深圳市南山区科技路15号',
  '杭州市西湖区文三路478号',
  '成都市武侯区人民南路28号',
  '南京市鼓楼区中山路321号',
];
const EN_STREETS = [
  '221 Baker Street',
  '350 Fifth Avenue',
  '1600 Amphitheatre Parkway',
  '12 Acacia Avenue',
  '77 Massachusetts Ave',
  '45 W 34th St',
];
const IBANS = ['GB82 WEST 1234 5698 7654 32', 'DE89370400440532013000', 'FR1420041010050500013M02606'];

const JA: Templates = {
  password: [
    v.password,
    'パスワードは{}だよ。',
    'Wi-Fiのパスワードは「{}」です。',
    'ログインのパスワード：{}',
    '暗証番号は{}にした。',
    'パスワードが{}だから忘れないで。',
  ],
  apiKey: [
    v.apiKey,
    'APIキーは{}です。',
    '{} を環境変数に入れた。',
    'トークン: {}',
    'このキー {} で動くはず。',
  ],
  card: [
    () => v.one([v.card(), v.grouped(v.card('5' + v.one(['1', '3', '5']))), v.grouped(v.card('35'), '-')]),
    'カード番号は{}。',
    'クレカ {} で払った。',
    '{}、有効期限は来年です。',
    'このカード（{}）を止めたい。',
  ],
  bankAccount: [
    () => v.number(7),
    '口座番号は{}です。',
    'みずほ銀行渋谷支店 普通 {} に振り込んで。',
    '普通預金 {} へお願いします。',
    '振込先の口座番号：{}',
  ],
  passport: [
    () => `T${v.one(['K', 'R', 'S', 'Z'])}${v.number(7)}`,
    'パスポート番号は{}。',
    'パスポートは{}です。',
    '旅券番号：{}',
    'パスポートの番号が{}だった。',
  ],
  nationalId: [
    v.myNumber,
    'マイナンバーは{}です。',
    '個人番号：{}',
    'マイナンバーカードの番号、{}だった。',
    '会社にマイナンバー {} を出した。',
  ],
  phone: [
    () =>
      v.one([
        v.jpMobile(),
        v.jpMobile().replaceAll('-', ''),
        `03-${v.one(['3', '5', '6'])}${v.number(3)}-${v.number(4)}`,
        `06-6${v.number(3)}-${v.number(4)}`,
      ]),
    '電話番号は{}です。',
    '{}に電話して。',
    '携帯：{}',
    '母の番号は{}だよ。',
  ],
  email: [v.email, 'メールは{}です。', '{}に送って。', '連絡先：{}', 'アドレスが{}に変わった。'],
  address: [
    () => v.one(JA_STREETS),
    '住所は{}です。',
    '{}に引っ越した。',
    '荷物は{}まで送って。',
    '実家は{}にある。',
  ],
};
const ZH: Templates = {
  password: [
    v.password,
    '密码是{}。',
    'Wi-Fi密码：{}',
    '登录密码为{}，别忘了。',
    '我的口令是{}',
    '邮箱密码是“{}”。',
  ],
  apiKey: [v.apiKey, 'API密钥是{}。', '把 {} 放进环境变量。', '令牌：{}', '用这个 {} 就能跑。'],
  card: [
    () => v.one([v.card('62', 19), v.grouped(v.card()), v.card('62')]),
    '卡号是{}。',
    '银行卡 {} 丢了。',
    '用{}这张卡付的。',
    '信用卡（{}）要冻结。',
  ],
  bankAccount: [
    () => v.number(12),
    '银行账号：{}',
    '我的银行账号是{}。',
    '收款账号 {}，请转账。',
    '银行账户{}已经开好。',
  ],
  passport: [
    () => v.one([`E${v.number(8)}`, `G${v.number(8)}`]),
    '护照号码是{}。',
    '护照：{}',
    '我的护照号{}。',
    '护照号码变成{}了。',
  ],
  nationalId: [v.chineseId, '身份证号是{}。', '身份证：{}', '他的号码 {}，核对一下。', '实名用的是{}。'],
  phone: [
    () =>
      v.one([
        v.cnMobile(),
        `+86 ${v.cnMobile()}`,
        `010-${v.one(['6', '8'])}${v.number(7)}`,
        `021-6${v.number(7)}`,
      ]),
    '电话是{}。',
    '打{}找我。',
    '手机：{}',
    '妈妈的电话号码是{}。',
  ],
  email: [v.email, '邮箱是{}。', '发到{}吧。', '联系方式：{}', '我换成{}了。'],
  address: [() => v.one(ZH_STREETS), '地址是{}。', '我住在{}。', '快递寄到{}。', '公司在{}。'],
};
const EN: Templates = {
  password: [
    v.password,
    'My password is {}.',
    'The Wi-Fi password: {}',
    'password = {}',
    'I set the passcode to be safe, passcode is {}',
    'The PIN is {}',
  ],
  apiKey: [
    v.apiKey,
    'The API key is {}.',
    'Put {} into the environment.',
    'token: {}',
    'It runs with {} for now.',
  ],
  card: [
    () =>
      v.one([
        v.card(),
        v.grouped(v.card('5' + v.one(['1', '3', '5']))),
        v.card('37', 15),
        v.grouped(v.card('6011'), '-'),
      ]),
    'My card number is {}.',
    'I paid with {}.',
    'Card {} expires next year.',
    'Please cancel {} today.',
  ],
  bankAccount: [
    () => v.one([v.number(8), v.number(10), v.one(IBANS)]),
    'My account number is {}.',
    'Send it to bank account {}.',
    'Account no. {}',
    'The account number: {}',
  ],
  passport: [
    () => v.one([v.number(9), `C${v.number(8)}`]),
    'My passport number is {}.',
    'Passport: {}',
    'Her passport no. is {}.',
    'The new passport is {}.',
  ],
  nationalId: [
    () =>
      `${v.one(['123', '212', '456', '545'])}-${v.one(['12', '45', '67'])}-${v.one(['1', '3', '9'])}${v.number(3)}`,
    'My SSN is {}.',
    'Social security number: {}',
    'They asked for {} again.',
    'It is {} on the form.',
  ],
  phone: [v.usPhone, 'My number is {}.', 'Call me at {}.', 'Phone: {}', 'Text {} when you arrive.'],
  email: [v.email, 'My e-mail is {}.', 'Send it to {}.', 'Contact: {}', 'I moved to {} last year.'],
  address: [
    () => v.one(EN_STREETS),
    'I live at {}.',
    'The address is {}.',
    'Ship it to {}, please.',
    'We met at {}.',
  ],
};

const MISSES: Readonly<Record<Case['language'], readonly (() => string)[]>> = {
  ja: [
    () => `注文番号は${v.number(12)}です。`,
    () => `追跡番号 ${v.number(4)}-${v.number(4)}-${v.number(4)} で確認して。`,
    () => `予約番号${v.number(10)}を控えた。`,
    () => `2026年${v.one(['3', '7', '11'])}月${v.one(['5', '14', '28'])}日に会おう。`,
    () => `2026-0${v.one(['3', '7'])}-1${v.one(['4', '8'])} 1${v.number(1)}:30 に集合。`,
    () => `${v.one(['1', '2', '38'])},${v.number(3)},${v.number(3)}円だった。`,
    () => `会員番号 ${v.number(16)} のカードを忘れた。`,
    () =>
      v.one([
        'パスワードを忘れちゃった。',
        'パスワードは定期的に変えたほうがいい。',
        'パスワードは長いほうが安全です。',
        'パスワードがわからない。',
        '暗証番号を変えた。',
      ]),
    () => `カード番号みたいだけど違う：${v.notCard()}`,
    () =>
      v.one([
        '京都の左京区は静かでいい。',
        '東京駅の3番線で待ってる。',
        '渋谷の2丁目あたりを歩いた。',
        '大阪まで3時間かかる。',
        '横浜市に住んでいる友達。',
      ]),
    () => `体重が${v.number(2)}.${v.number(1)}キロで、歩数は${v.number(5)}歩。`,
    () =>
      v.one([
        'パスポートを更新した。',
        'マイナンバーカードを作りに行く。',
        '銀行の口座を作った。',
        '電話番号を変えた。',
        'メールアドレスを教えて。',
      ]),
    () => `型番は AB-${v.number(8)} です。`,
    () => `円周率は3.14159265${v.number(6)}。`,
    () => `第${v.number(2)}回、参加者は${v.number(4)}人、来年は${v.number(5)}人を目指す。`,
  ],
  zh: [
    () => `订单号是${v.number(18).replace(/^./, '9')}。`,
    () => `快递单号 SF${v.number(13)}，今天到。`,
    () => `货号${v.number(8)}已经没货了。`,
    () => `2026年${v.one(['3', '7', '11'])}月${v.one(['5', '14', '28'])}日见。`,
    () => `2026-0${v.one(['3', '7'])}-1${v.one(['4', '8'])} 1${v.number(1)}:30 集合。`,
    () => `一共${v.one(['1', '2', '38'])},${v.number(3)},${v.number(3)}元。`,
    () => `会员编号${v.number(16).replace(/^./, '9')}。`,
    () => v.one(['我忘了密码。', '密码要经常换。', '密码是越长越安全的。', '密码改了吗？', '口令很重要。']),
    () => `这不是卡号：${v.notCard()}`,
    () =>
      v.one([
        '朝阳区的咖啡馆很多。',
        '在建国路散步。',
        '3号线很挤。',
        '浦东机场太远了。',
        '文三路附近有家书店。',
      ]),
    () => `体重${v.number(2)}.${v.number(1)}公斤，走了${v.number(5)}步。`,
    () => v.one(['护照要更新了。', '身份证丢了。', '去银行开账户。', '换了手机号码。', '把邮箱告诉我。']),
    () => `型号是 AB-${v.number(8)}。`,
    () => `圆周率是3.14159265${v.number(6)}。`,
    () => `第${v.number(2)}届有${v.number(4)}人，明年要${v.number(5)}人。`,
  ],
  en: [
    () => `My order number is ${v.number(12)}.`,
    () => `Tracking 1Z${v.number(16)} says Tuesday.`,
    () => `Booking reference ${v.number(10)} is for two.`,
    () => `See you on 2026-0${v.one(['3', '7'])}-1${v.one(['4', '8'])}.`,
    () => `It was 1${v.number(1)}/0${v.one(['3', '7'])}/2026 at 10:30.`,
    () => `It cost $${v.one(['1', '2', '38'])},${v.number(3)},${v.number(3)}.00 in all.`,
    () => `Member ${v.number(16).replace(/^./, '9')} gets a discount.`,
    () =>
      v.one([
        'I forgot my password.',
        'My password is too long.',
        'The password is something I always forget.',
        'Your password is expired.',
        'A password is a secret word.',
      ]),
    () => `Not a card: ${v.notCard()}`,
    () =>
      v.one([
        'We walked down Fifth Avenue.',
        'I ran 5 miles on Main Street.',
        'There were 12 people in the court.',
        'It took 3 hours to drive.',
        'Route 66 is long.',
      ]),
    () => `I weigh ${v.number(2)}.${v.number(1)} kilos and walked ${v.number(5)} steps.`,
    () =>
      v.one([
        'I renewed my passport.',
        'I opened a bank account.',
        'She lost her ID.',
        'I changed my phone number.',
        'What is your e-mail?',
      ]),
    () => `The model is AB-${v.number(8)}.`,
    () => `Pi is 3.14159265${v.number(6)}.`,
    () =>
      `Version 2.${v.number(1)}.${v.number(2)} build ${v.number(7)} shipped; scores were 1${v.number(2)}-1${v.number(2)}.`,
  ],
};

/** Number of cases for each kind and language; for near misses, ten of each form. */
const OF_EACH_KIND = 17;
const OF_EACH_MISS = 11;

export const CASES: readonly Case[] = (
  Object.entries({ ja: JA, zh: ZH, en: EN }) as [Case['language'], Templates][]
).flatMap(([language, templates]) => [
  ...(Object.entries(templates) as [SensitiveKind, [() => string, ...string[]]][]).flatMap(
    ([kind, [make, ...frames]]) =>
      Array.from({ length: OF_EACH_KIND }, (_, i): Case => {
        const value = make();
        return { language, kind, value, text: (frames[i % frames.length] ?? '').replace('{}', () => value) };
      }),
  ),
  ...MISSES[language].flatMap((make) =>
    Array.from({ length: OF_EACH_MISS }, (): Case => ({ language, kind: null, value: '', text: make() })),
  ),
]);
