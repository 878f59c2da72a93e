/**
 * Common terms with the share of sentences that contain them, in three classes (from Tatoeba and Tanaka sentences in
 * English, Chinese and Japanese, without names). A young memory has too little text to tell a common word from a rare
 * one.
 */
const CLASSES: readonly (readonly [rate: number, terms: string])[] = [
  [
    0.04,
    `彼 私 一 彼は 女 彼女 私は 女は 人 来 日 go 天 上 里 行 想 好 子 何 时 見 事 做 時 will 出 看 get
like 得 多 come 話 本 今 下 間 车 言 道 生 点 一个 君 は彼 知 分 私の 手 欢 开 家 気 喜 知道 学
time 喜欢 过 大 思 は私 take see make 起 彼の 作 请 know 車 该 年`,
  ],
  [
    0.014,
    `着 吃 间 want 私た 語 话 书 look を見 前 食 自 打 彼ら 中 意 think 见 法 地 good 语 work sai 认 工 明
dai 现 发 好き 了一 私に 些 常 に行 孩 真 最 合 と思 仕 经 用 问 候 晚 成 book 小 信 工作 回 样 我想
电 时候 は何 仕事 哪 应 持 少 告 誰 彼が 金 儿 钱 聞 達 tell 物 房 leav give 这里 比 彼に 書 方 入
時間 应该 now 言っ 相 電 帮 早 父 怎 on new 听 再 国 昨 太 只 亲 speak 果 person 親 部 live year 正
行っ 现在 觉 每 必 高 問 机 much 诉 今天 快 自分 告诉 help meet 于 last 女の 如 怎么 任 home 已
man 感 后 school 无 心 car 題 僕 定 别 father 当 走 公 题 认为 今日 长 需 君は us well 买 有一 东 々
monei 住 需要 球 全`,
  ],
  [
    0.007,
    `屋 食べ 是一 西 已经 理 通 事を 話し long 下さ 老 的时 校 行く 後 楽 友 谁 问题 非 名 待 者 美
call 読 買 母 不知 room 目 tomorrow eat の本 強 日は 外 己 read 望 三 先 时间 plai hous back 自己
child 错 keep 遅 切 几 花 todai が好 は今 立 部屋 明天 任何 知ら 气 力 次 思い 違 wai 電話 我一 完 十
hear 孩子 昨天 明日 私が 火 哪里 面 读 持っ 計 新 歩 two 1 非常 度 关 周 mani 男 两 学校 雨 本を 供
friend run 朋 朋友 画 分の 找 须 东西 行き 很多 mother old 教 起来 walk 子供 必须 帰 feel ask 游 饭
bui 考 2 同 へ行 better 夜 alwai 等 never 実 は自 lot talk 取 rain studi busi 门 放 写 期 勉 有人 結
朝 next 始 像 考え night find 昨日 soon 加 开始 的人 字 終 yesterdai 決 之 late 一点 乐 水 更 勉強 爱
put 時に 解 想要 离 父亲 将 总 知っ 进 难 甚 少し 問題 必要 週 right 変 の人 希 习 音 个人 受 本书
思う 思っ 発 希望 thing て下 良 turn 女に 悪 在哪 話を write 家に littl 長 降 は一 照 件 月 言う 番
に出 真的 不想 無 train 前に 試 彼を need 何を wait 君の 出し 来る hard 近 试 情 如果 の家 房间 病
ーを watch を持 の仕 紙 睡 noth 的事 stai 正在 three 狗 午 师 医 何か cold 動 很好 私達 休 本当 人は
兴 决 二 聞い は大 动 不喜 の子 に入 带 重 议 发生 死 boi morn 觉得 得很 许 种 お金 love 场 女が 你想
伝 anyth 楽し student 甚么 kind に来 ーに 忙 我认 餐 诉我 喝 记 助 転 寝 week 结 someth 故 张 手紙 運
dog 那里 見た 人で 日の plan 達は 使 路 好的 直 失 一下 然 住在 を知 犬 旅 电话 活 station awai を買
の中 を聞 服 一些 飲 金を 玩 happi care name ten 3 車を の言 説 星 计 么时 分か 見え 駅 乗 起き 条
这本 teacher 我々 住ん 働 我看 视 父は 機 風 10 我喜 钟 lose と言 start 笑 实 确 火车 穿 房子 班 婚
新し finish life 人の 相信 站 总是 parti 世 seem 私を 步 无法 hand job`,
  ],
];

const RATES = new Map(
  CLASSES.flatMap(([rate, terms]) => terms.split(/\s/).map((term) => [term, rate] as const)),
);
/** Number of terms in an average sentence, and the maximum number of sentences that a turn is counted as. */
const SENTENCE_TERMS = 8;
const MAX_SENTENCES = 4;

/** The expected share of turns of this length that contain the term, 0..0.16; 0 for a term that is not common. */
export function commonRate(term: string, turnTerms: number): number {
  return (RATES.get(term) ?? 0) * Math.min(MAX_SENTENCES, turnTerms / SENTENCE_TERMS);
}
