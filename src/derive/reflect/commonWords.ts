/** Words too common to show what a text is about. Words of emotion are in the lexicons instead. */

const ENGLISH = `
able absolutely across actually add advice afternoon again age agree ahead almost alone along already alright always amazing
answer anyone anything anyway area arrive ask attention away awesome back bad based basically beautiful become begin behind
believe best better beyond big bit body break bring busy buy call came care case chance change check choose clear close come
common community completely consider cool correct couple cost course create current cut daily date day days deal decide deep
definitely detail details different difference difficult dinner easy end enjoy enough especially even evening event ever everyone everything
exactly example excellent excited experience explain extra face fact fall family far fast favorite feel feeling few fine
finally find first fit fix focus folks follow forget forward free fresh friend friends fun future get gets getting give glad
go goes going good got great group grow guess guy guys half hand handle happen happy hard hear heard heart hello help helpful hey
hi high hit hold home honestly hope hour hours huge idea ideas imagine important include info information instead interesting
issue issues item job journey keep kept kid kids kind kinda knew know large last late later lately lead learn least leave left less
let level life like line link list listen literally little live local long look looking lot lots love low made main
make makes making many matter maybe mean means meet mention mind minute minutes moment moments month months morning move
much name near nearly need needs never new next nice night nothing notice now number often old one open option options
order pace part pass past path pay people perfect perhaps person pick piece place places plan plans play please plenty point
possible post power prefer pretty probably problem process proud provide pull push put question questions quick quickly quiet
read ready real really reason recent recently reach relax remember rest result right run sad safe said same save saw say says second see
seem seems seen self send sense serious set several share shared short show side sign simple simply since single size
skills small solid some someone something sometimes soon sorry sort sound sounds space special specific spend spot stand start
started state stay step steps stick still stop story strong stuff style sure super support sweet take talk task team tell
test thank thanks thing things think thought thoughts time times tip tips today together told tomorrow tonight took tool tools top
total totally touch tough towards tried true truly trust try trying turn type understand until update upcoming use used useful
user using usual usually value various version view visit voice wait walk wanna want wants watch way ways wear week weekend weeks well went
whole wish wonderful word words work working works world worry worth wow write wrong yeah year years yep yesterday yet young yup
monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december
around inside outside without within among beside along toward upon despite select essential wider
mom mum mother dad father sister brother son daughter wife husband parent parents cousin aunt uncle
assistant ai human plus one two three four five six seven eight nine ten hundred thousand second third bit gotta gonna lol haha
cant dont doesnt didnt isnt wasnt arent wont wouldnt couldnt shouldnt havent hasnt ive youre theyre thats whats heres theres lets
tho cuz cos coz idk omg ngl imo imho asap thx pls plz sorta dunno lemme gimme outta aint yall ppl tmrw lmao dude nah yea ugh meh huh nope
aww yay oops bout
goodbye bye photo photos picture image speaker chat nah yup oops ooo hmm via per etc inc non pre pro anytime nowadays overall truly
incredible efficient stunning grassy various mutual incredible impressive creative typical obvious specific proper extra recent`;

const JAPANESE = `
今日 明日 昨日 昨夜 今朝 今夜 今晩 今回 前回 今度 時間 時期 時代 自分 自身 本当 最近 一緒 大丈夫 全部 全体 最初 最後 普通 場合 意味 問題
必要 可能 結構 絶対 多分 一番 色々 先日 当日 平日 休日 週末 先週 今週 来週 先月 今月 来月 去年 今年 来年 昨年 毎日 毎週 毎月 毎年 毎朝 毎晩
午前 午後 朝方 夕方 途中 以上 以下 以外 以前 以降 以内 程度 予定 予算 希望 条件 確認 紹介 案内 質問 回答 返事 連絡 相談 説明 利用 使用
参考 情報 内容 詳細 注意 対応 対象 関係 部分 方法 方面 方向 場所 感じ 気持ち 気分 皆様 皆さん 彼女 彼氏 友達 友人 相手 他人 人間 男性 女性 家族
両親 母親 父親 姉妹 兄弟 子供 大人 名前 言葉 理由 原因 結果 状況 状態 様子 経験 機会 目的 目標 準備 開始 終了 変更 追加 選択 検索 表示 番号 種類 全員 全然 大変 残念
素敵 最高 最低 無理 簡単 便利 大事 重要 有名 人気 好き 嫌い 上手 下手 元気 承知 了解 感謝 失礼 期待 心配 安心 満足 存在 行動 気軽 基本 特別 特徴
実際 現在 将来 未来 過去 直接 普段 大体 大抵 正直 勿論 是非 何度 何回 何人 何時 何日 一人 二人 三人 一度 一日 二日 一回 一つ 一年 数人 万円 千円 円
手伝 お願い お客様 お話 思い出 考え 楽しみ ご覧 いつも
コト モノ ヒト トコ ホント スゴイ イイ ダメ OK`;

const CHINESE = `
今天 明天 昨天 前天 后天 今晚 今早 早上 上午 中午 下午 晚上 凌晨 现在 刚才 刚刚 时候 时间 以前 以后 之前 之后 最近 最后 最初 平时 每天 每次 周末
下次 上次 这次 这回 今年 去年 明年 上周 下周 这周 本周 星期 上个月 下个月 一天 一次 一个 一些 一下 一点 一样 一起 一直 一定 一般 一会儿 两个 几个 第一 第二
什么 什么时候 怎么 怎么办 怎样 怎么样 多少 为什么 哪里 哪儿 哪个 这个 那个 这些 那些 这样 那样 这里 那里 这儿 那儿 这么 那么 这种 那种 我们 你们 他们 她们 咱们 自己 大家 别人
人们 觉得 感觉 认为 以为 知道 想要 想到 看到 看见 听到 听说 发现 记得 忘记 告诉 可以 可能 应该 需要 必须 能够 愿意 打算 准备 开始 结束 继续
完成 进行 使用 帮助 选择 提醒 通知 建议 问题 事情 东西 地方 方面 情况 方式 方法 内容 信息 原因 结果 关系 部分 过程 机会 时刻 样子 意思
还有 还是 或者 而且 但是 可是 不过 因为 所以 如果 虽然 然后 于是 就是 只是 都是 也是 不是 没有 只有 所有 已经 正在 刚好 终于 其实 确实 真的
当然 非常 特别 比较 更加 有点 有些 稍微 几乎 大概 差不多 左右 不要 不能 不会 不用 不过 不同 不少 很多 许多 不错 重要 主要 简单 方便 合适 具体
明白 了解 收到 知道了 谢谢 请问 你好 您好 好的 没事 没关系 再见 加油 辛苦 麻烦 抱歉 对不起 来说 出来 起来 过来 过去 回来 出去 进来 下来 上去 到了 去了 看看 想想
说说 聊聊 妈妈 爸爸 妹妹 姐姐 哥哥 弟弟 父母 朋友 孩子 男人 女人 先生 女士 有人 有时 经常 总是 从来 曾经 突然 马上 立刻 顺便 尤其 例如 比如 根据 关于 对于 通过 按照 由于 为了
临时 公里 干嘛 多久 整理 生成 预约 涉及 获取 讨论 安排 处理 记录 推荐 关注 注意 预计 包括 查询 确认 联系 沟通 回复 更新 提供 适合 避免 恢复 调整 影响 提升 提高 增加 减少 负责 支付 领取
照片 短信 发送 接收 推送 点击 查看 详情 用户 您的 我的 你的 他的 她的 收到 得到 感到 带来 一位 参加 成功 获得 显示 里面 外面 上面 下面 旁边`;

const COMMON: ReadonlySet<string> = new Set(
  [ENGLISH, JAPANESE, CHINESE].flatMap((words) => words.trim().toLowerCase().split(/\s+/)),
);

/** Whether a lower-case word occurs in texts about anything. */
export function isCommonWord(word: string): boolean {
  return COMMON.has(word);
}
