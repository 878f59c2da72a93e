import type { Lexicon } from './lexicon.ts';

/** Chinese words of emotion, in simplified characters, separated by spaces. */
export const CHINESE: Lexicon = {
  joy: {
    strong: '太棒 太好了 欣喜若狂 乐坏 开心极了 高兴极了 幸福',
    plain:
      '开心 高兴 快乐 喜悦 愉快 愉悦 兴奋 激动 真棒 恭喜 惊喜 自豪 欣慰 满足 庆祝 欢喜 乐呵 笑得 兴高采烈 心情好 心情很好 喜欢',
    slight: '很棒 满意 好吃 好玩 精彩 骄傲 美好 不错 享受 笑容 微笑 真好 幸运 成功 温馨 欢乐',
  },
  peace: {
    strong: '心旷神怡 岁月静好',
    plain: '平静 安心 放松 惬意 宁静 踏实 悠闲 松了口气 松了一口气 治愈 安宁 安稳 自在',
    slight: '放心 舒服 舒适 安静 轻松 休息 从容',
  },
  trust: {
    strong: '深信 推心置腹',
    plain: '信任 信赖 靠谱 可靠 感激 依靠 真诚 知心',
    slight: '相信 谢谢 感谢 多谢 支持 承诺 多亏 答应 诚实',
  },
  curiosity: {
    strong: '好奇心',
    plain: '好奇 感兴趣 想知道 有意思 探索 着迷',
    slight: '有趣 为什么 怎么回事 神奇 奇怪 了解一下 研究一下 疑惑',
  },
  flutter: {
    strong: '心动 暗恋 爱上 怦然 小鹿乱撞 一见钟情',
    plain: '恋爱 喜欢你 喜欢他 喜欢她 爱你 浪漫 表白 心仪 脸红 心跳加',
    slight: '害羞 约会 可爱 好帅 甜蜜 漂亮',
  },
  playfulness: {
    strong: '笑死 爆笑 笑喷',
    plain: '哈哈 嘻嘻 嘿嘿 开玩笑 搞笑 调皮 恶作剧 好笑 滑稽 顽皮',
    slight: '玩笑 逗 幽默 俏皮 嬉闹',
  },
  empathy: {
    strong: '节哀 感同身受',
    plain: '心疼 抱抱 同情 体谅 别难过 别伤心 别担心 会好的 会好起来 早日康复 安慰 陪着你',
    slight: '理解你 能理解 辛苦了 陪你 关心 保重 不容易 照顾好',
  },
  hope: {
    strong: '迫不及待 等不及 梦想成真',
    plain: '期待 希望 盼望 盼着 梦想 憧憬 向往 乐观 愿望 但愿 有信心',
    slight: '加油 努力 目标 一定能 祝你 祝愿 鼓励 坚持 决心 鼓起勇气',
  },
  conflict: {
    strong: '背叛 左右为难 决裂',
    plain: '矛盾 纠结 吵架 争吵 争执 冲突 后悔 内疚 愧疚 嫉妒 为难 闹别扭 冷战 懊悔 自责 打架',
    slight: '犹豫 羡慕 尴尬 误会 不甘 两难 不好意思 惭愧 困惑',
  },
  anxiety: {
    strong: '恐慌 恐惧 惊恐 提心吊胆 吓死 吓坏',
    plain: '焦虑 担心 担忧 紧张 害怕 不安 忐忑 慌张 着急 发愁 惊吓 受惊 心慌 不知所措 胆怯',
    slight: '压力 怕 烦恼 困扰 失眠 吓 顾虑 急死 头疼 迷茫',
  },
  sadness: {
    strong: '绝望 心碎 悲痛 去世 过世 失恋 崩溃 痛哭',
    plain:
      '难过 伤心 悲伤 痛苦 失望 哭 流泪 眼泪 孤独 寂寞 孤单 沮丧 难受 委屈 失落 低落 郁闷 抑郁 心痛 分手 呜呜 伤感 垂头丧气 闷闷不乐',
    slight: '遗憾 可惜 想念 思念 疲惫 好累 很累 太累 惨 心情不好 消沉 无奈',
  },
  anger: {
    strong: '愤怒 气死 暴怒 痛恨 大怒 气炸',
    plain: '生气 恼火 讨厌 烦死 烦躁 火大 发火 发脾气 恨 可恶 气愤 不爽 受不了 混蛋 恼怒 厌恶',
    slight: '烦 过分 抱怨 不满 恶心 责怪 不公平 埋怨',
  },
};

/** Traditional characters of the words above, each with its simplified form. */
const SIMPLIFIED =
  '開开 別别 來来 興兴 樂乐 歡欢 愛爱 滿满 慶庆 驕骄 緊紧 張张 擔担 憂忧 壓压 難难 過过 傷伤 淚泪 獨独 絕绝 惱恼 憤愤 煩烦 氣气 討讨 厭厌 謝谢 悅悦 動动 驚惊 願愿 夢梦 嚮向 優优 鬱郁 遺遗 慮虑 懼惧 發发 糾纠 結结 猶犹 爭争 執执 衝冲 內内 後后 尷尴 誤误 會会 鬧闹 彆别 戰战 罵骂 為为 麼么 戀恋 約约 調调 惡恶 劇剧 體体 諒谅 節节 撫抚 療疗 癒愈 鬆松 靜静 寧宁 穩稳 賴赖 誠诚 諾诺 應应 聖圣 賀贺 喪丧 悶闷 訴诉 無无 讓让 頭头 壞坏 極极 運运 輕轻 輸输 愜惬 歲岁 話话 這这 個个 嚇吓 羨羡 臉脸 紅红 見见 鐘钟 鍾钟 亂乱';

const SIMPLE = new Map(SIMPLIFIED.split(' ').map(([from = '', to = '']) => [from, to]));

/** Simplifies the traditional characters that occur in words of emotion. The length stays the same. */
export function simplifyFeelings(text: string): string {
  let out = '';
  for (const character of text) out += SIMPLE.get(character) ?? character;
  return out;
}
