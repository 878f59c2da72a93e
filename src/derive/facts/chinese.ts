/** What Chinese sentences say of their speaker. */
import { LIKELY, type Reader, type Rule } from './rule.ts';

const KIN =
  '妈妈|爸爸|母亲|父亲|老妈|老爸|姐姐|妹妹|哥哥|弟弟|老公|老婆|丈夫|妻子|男朋友|女朋友|男友|女友|对象|未婚夫|未婚妻|儿子|女儿|孩子|宝宝|奶奶|爷爷|外婆|外公|姥姥|姥爷|叔叔|阿姨|舅舅|姑姑|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|侄子|侄女|外甥|外甥女|室友|闺蜜|老板|领导|同桌|狗|小狗|狗狗|猫|小猫|猫咪|猫猫|兔子|仓鼠|乌龟|鹦鹉';
const ANIMALS =
  '狗|小狗|狗狗|猫|小猫|猫咪|猫猫|兔子|仓鼠|乌龟|鹦鹉|金鱼|热带鱼|鱼|鸟|蜥蜴|蛇|龙猫|刺猬|柯基|金毛|哈士奇|泰迪|柴犬|布偶|英短|橘猫';
const RELATIVES =
  '姐姐|妹妹|哥哥|弟弟|儿子|女儿|孩子|宝宝|兄弟|姐妹|表哥|表姐|表弟|表妹|侄子|侄女|外甥|孙子|孙女|双胞胎';
const JOBS =
  '老师|教师|医生|护士|律师|工程师|程序员|设计师|会计师?|药剂师|建筑师|摄影师|厨师|理发师|美发师|化妆师|咨询师|分析师|架构师|培训师|司机|警察|消防员|军人|记者|编辑|作家|画家|插画师|漫画家|翻译|导游|教练|演员|歌手|主播|博主|学生|大学生|研究生|博士生|高中生|初中生|小学生|公务员|销售员?|业务员|售货员|收银员|服务员|快递员|外卖员|保安|保姆|产品经理|项目经理|经理|主管|总监|秘书|前台|文员|出纳|审计|客服|运营|人事|教授|讲师|研究员|科学家|飞行员|空姐|乘务员|农民|工人|电工|木匠|老板|创业者|自由职业者?|家庭主妇|全职妈妈|社工|心理咨询师|健身教练|实习生|店长|店员|咖啡师|面点师|兽医|法官|检察官|银行职员|职员|白领';
const DURABLES =
  '车|汽车|电动车|摩托车|自行车|房|房子|公寓|吉他|钢琴|小提琴|电子琴|相机|单反|电脑|笔记本|平板|手机|游戏机|望远镜|缝纫机';
const LANGUAGES =
  '英语|日语|韩语|法语|德语|西班牙语|俄语|意大利语|葡萄牙语|阿拉伯语|泰语|越南语|粤语|普通话|中文|上海话|四川话|闽南语|客家话';
const INSTRUMENTS_AND_SPORTS =
  '钢琴|吉他|小提琴|大提琴|古筝|琵琶|二胡|长笛|萨克斯|架子鼓|尤克里里|篮球|足球|羽毛球|乒乓球|网球|排球|高尔夫|棒球|台球';
const COUNT = '[一二两三四五六七八九十\\d]+';
const MEASURE = '[只条个头匹位名条对]';

const HOW =
  '(?:其实|现在|目前|一直|都|也|还|还是|就|真的|真|很|最|超级?|特别|非常|挺|蛮|比较|好|太|可|更|从小就?|向来|平时|平常|最近|已经|刚刚?|终于|是)*';
const OTHERS = `我(?:家|们家)?的?(?<whose>(?:${KIN}))`;
const ME = `(?:我(?:自己|本人|个人)?|本人)${HOW}`;
/** One liked thing after another. */
const THINGS = '(?<object>[^，。；：,.;:!?！？~～（）()]{1,24})';
const WHO = `(?:${OTHERS}(?!的)${HOW}|${ME})`;
const OF = `(?:${OTHERS}的?|我的?)`;
/** When something happened, before or after who it happened to. */
const WHEN = '(?:上个月|这个月|上周|这周|去年|今年|昨天|前天|前几天|今天|最近|\\d+月|\\d{4}年)';
const OBJECT = '(?<object>[^，。、；：,.;:!?！？~～（）()]{1,24})';

function clause(words: string): RegExp {
  return new RegExp(`^${words}`, 'u');
}

const NO_THING =
  /^一[部个本首条种]$|^(?:[吃喝看听玩去](?:$|的$|[那这些])|现在|目前|刚才|今天|先|能|带点?|些|有点|你|您|他|她|它|我|这|那|谁|啥|什么|怎么|哪|和你|跟你|被|让|别人|大家|有人|的|了|是|自己|就|到|过|上(?!班|学|网|海)|得|不|一个人$|一下|一点|起来)|(?:的时候|的话|的样子|的那|吗|呢|觉得)$|[太点能更].*的$|.{7,}的$/u;
const NO_PLACE =
  /^(?:哪|这|那|一起|一个|同一|自己|附近|隔壁|楼[上下]|宿舍|酒店|宾馆|学校|家里|公司|医院|外面|里面|农村$|城里$|乡下$|市区$|郊区$|你|他|她|不同|新家|出租屋|别处|了|的|过|得|到)|(?:家|家里|隔壁|楼上|楼下|附近|旁边|对面|一起|宾馆|酒店|旅馆|民宿|医院)$|^新|[我你他她]/u;

const RULES: readonly Rule[] = [
  // What ends comes first: its words hold what begins.
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(`${ME}(?:不再|没那么)(?:喜欢|爱|热爱)(?:吃|喝|看|听|玩)?${OBJECT}`),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(`${ME}不(?:怎么|太)?(?:喜欢|爱)(?:吃|喝|看|听|玩)?(?<object>[^，。、]{1,20})了`),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(
      `我(?:以前|之前|过去|曾经)(?:很|最|特别|非常|挺)?(?:喜欢|爱)(?:吃|喝|看|听|玩)?${OBJECT}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'home',
    ends: true,
    pattern: clause(`我(?:们)?(?:现在|已经|早就|早)?(?:不再?|没)住在?(?<object>[^，。、]{1,15}?)了?$`),
    except: NO_PLACE,
  },
  {
    predicate: 'workplace',
    ends: true,
    pattern: clause(`${ME}(?:不再?|没)在(?<object>[^，。、]{1,15})(?:工作|上班)了?`),
    except: NO_PLACE,
  },
  {
    predicate: 'workplace',
    ends: true,
    object: '',
    pattern: clause(`${ME}(?:昨天|今天|上周|上个月|去年|前天)?(?:辞职|离职|被裁员|被裁)(?:了|啦)`),
  },
  { predicate: 'pet', ends: true, pattern: clause(`${ME}(?:不再?|没)养(?<object>${ANIMALS})了`) },
  { predicate: 'hobby', ends: true, pattern: clause(`${ME}(?:戒|戒掉)了?(?<object>烟|酒|咖啡|奶茶|游戏)`) },

  {
    predicate: 'name',
    pattern: clause(
      `(?:${OTHERS}|我)(?:的?(?:大名|全名|本名|名字))?(?:就)?叫(?:做)?(?<object>[^，。、的我你他她]{1,12})`,
    ),
    except:
      /^(?:你|他|她|它|我|了|得|着|过|什么|啥|一|醒|外卖|车|不|个|住|停|到|出|来|上|起|人|大家|苦|好|过来|救护)/u,
  },
  {
    predicate: 'name',
    pattern: clause(`${OF}(?:名字|大名|全名|本名)(?:就?是|叫做?)(?<object>[^，。、的]{1,12})`),
    except: NO_THING,
  },
  {
    predicate: 'nickname',
    pattern: clause(
      `(?:你?(?:可以|就)?(?:直接)?|大家都?|朋友们?都?|他们都?|请)叫我(?<object>[^，。、]{1,8}?)(?:就好|就行|就可以|吧|好了|即可)?了?$`,
    ),
    except: /^(?:去|来|一|不|做|起|的|过|回|帮|怎|什|别|先|给)/u,
  },
  {
    predicate: 'birthday',
    pattern: clause(`${OF}(?:的)?生日(?:就?是|在)(?<object>[^，。、]{2,16})`),
    only: /[\d一二三四五六七八九十正腊]+月|\d[/.-]\d|初[一二三四五六七八九十]/u,
  },
  {
    predicate: 'birthday',
    pattern: clause(
      `我(?:是|出生于|生于|出生在)(?<object>(?:\\d{4}年)?[\\d一二三四五六七八九十]{1,3}月[\\d一二三四五六七八九十]{1,3}[日号])(?:出生|生)?`,
    ),
  },
  {
    predicate: 'age',
    pattern: clause(
      `(?:${OTHERS}|我)(?:今年|现在|已经|都|快|刚刚?|马上|也)*(?:满)?(?<object>\\d{1,3}|[一二三四五六七八九十百]{1,4})岁(?:了|啦|半)?$`,
    ),
  },
  { predicate: 'bloodType', pattern: clause(`我的?(?:血型)?是(?<object>(?:A|B|O|AB)型)血?`) },

  {
    predicate: 'plansToMove',
    pattern: clause(
      `(?:我们?|我们家)(?:下个月|下周|明年|今年|年底|月底|过几天|很快|马上|最近|就|也|还)*(?:打算|准备|计划|决定|要|想好)(?:下个月|下周|明年|年底)?搬(?:家)?(?:到|去|回)(?<object>[^，。、了住]{1,12})`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: clause(
      `(?:${WHEN}?(?:${WHO}|我们(?:全?家)?${HOW})${WHEN}?|${WHEN})[又才]?(?:搬家?|移居|定居)(?:到|来|去|回|在)了?(?<object>[^，。、了住]{1,12})`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: clause(
      `${WHO}(?:住在|居住在|住到了?|定居在)(?<object>[^，。、]{1,15}?)(?:这边|那边|了|呢|啦|这里|的)?$`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'origin',
    pattern: clause(
      `(?:我(?:自己|本人|们家)?|${OTHERS})(?:其实|也|都|就)*是(?:土生土长的?|地道的?)?(?<object>[^，。、一这那好坏大老男女外本个很不有的是]{2,6})人$`,
    ),
    except:
      /^(?:什么|哪|同路|普通|年轻|成年|单身|中年|过来|路|打工|上班|急性|内向|外向|独生|聪明|感性|理性|喜欢|认识|少数|你|他|她|两|三|双鱼|完美|[\d])|(?:代理|负责|主持|发起|联系|经纪|合伙|继承|候选|监护|当事|介绍|创始|执行|投资|管理|主讲|代言|病|工|军|商|诗|艺|证|主|客|恋|爱|党|新|名)$/u,
    only: /^\p{Script=Han}+$/u,
    confidence: LIKELY,
  },
  {
    predicate: 'origin',
    pattern: clause(`(?:${WHO}来自|${OF}(?:老家|家乡|故乡)(?:就?是在?|在))${OBJECT}`),
    except: NO_THING,
  },
  {
    predicate: 'job',
    begins: true,
    pattern: clause(
      `${WHO}(?:是|做|当|当上了?|当了|做了)(?:着)?(?:一?[名个位])?(?<object>[^，。、这那的你他她]{0,8}(?:${JOBS}))(?:了|的|呢|啦)?$`,
    ),
    except:
      /^(?:好|最|他|她|你|不|没|老|怕|被|和|跟|班里|我们|以前|曾)|的(?:老师|老板|医生)$|^[王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董程曹袁邓许沈曾彭吕苏卢蒋蔡贾丁魏薛叶余潘杜戴夏钟汪田任姜范姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易武乔贺赖龚].{0,2}(?:医生|经理|老师|老板|教授|律师)$/u,
  },
  {
    predicate: 'job',
    begins: true,
    pattern: clause(`${OF}(?:工作|职业)是(?:做|当)?(?:一?[名个位])?${OBJECT}`),
    only: new RegExp(`(?:${JOBS}|师|员|家|的)$`, 'u'),
  },
  {
    predicate: 'workplace',
    begins: true,
    pattern: clause(
      `${WHO}在(?<object>[^，。、]{1,15}?)(?:工作|上班|任职|就职|实习)(?:了|的|呢|\\d.*|[一二两三四五六七八九十]+年.*)?$`,
    ),
    except:
      /处理|完成|进行|^(?:家|这|那|外|认真|努力|一起|哪|拼命|加班|忙|找|等|想|公司$|单位$|周|晚上|白天|新)/u,
  },
  {
    predicate: 'school',
    begins: true,
    pattern: clause(
      `${WHO}在(?<object>[^，。、]{1,12}(?:大学|学院|中学|高中|一中|二中|小学|学校))(?:读书|上学|念书|读研|读博|就读|读|学习|念)`,
    ),
    except: /^(?:这|那|一)/u,
  },
  {
    predicate: 'studies',
    begins: true,
    pattern: clause(
      `(?:${OF}专业是|${ME}(?:学的?是|主修|读的是))(?<object>[^，。、的了]{1,12}?)(?:专业)?(?:的|了)?$`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'studies',
    begins: true,
    pattern: clause(`${ME}(?:学|读)(?<object>[^，。、的了]{1,10})专业`),
    except: NO_THING,
  },
  {
    predicate: 'marriage',
    object: '已婚',
    begins: true,
    pattern: clause(
      `${WHO}(?:去年|今年|上个月|上周|昨天|前年)?(?:结婚|领证)(?:了|啦|\\d+年|[一二三四五六七八九十]+年)`,
    ),
  },
  { predicate: 'marriage', object: '已婚', pattern: clause(`${WHO}已婚`) },
  { predicate: 'marriage', object: '单身', pattern: clause(`${WHO}(?:单身|未婚)(?!派对|公寓)`) },
  {
    predicate: 'marriage',
    object: '离异',
    begins: true,
    pattern: clause(`${WHO}(?:去年|今年|上个月)?离婚了`),
  },

  {
    predicate: 'allergy',
    pattern: clause(`${WHO}对(?<object>[^，。、]{1,12}?)(?:严重|有点|会|也|都)?过敏`),
    except: NO_THING,
  },
  {
    predicate: 'avoids',
    pattern: clause(
      `${ME}(?:不能|不|从来?不|吃不了|不敢)吃(?<object>[^，。、了的这那饭早晚午]{1,8}?)(?:的|啦)?$`,
    ),
    except: /^(?:得|过|完|什么|东西|药|亏|醋|到|啥|太|一|也|不|不了|不下)/u,
  },
  {
    predicate: 'avoids',
    pattern: clause(`${ME}吃不了(?<object>[^，。、了的这那]{1,8})`),
    except: /^(?:太|一|多|东西|饭|什么)/u,
  },
  { predicate: 'diet', pattern: clause(`${ME}(?:是)?(?:个)?(?<object>素食主义者|素食者|纯素)`) },
  { predicate: 'diet', object: '素食', pattern: clause(`${ME}(?:只|常年|长期)?吃素`) },
  {
    predicate: 'favourite',
    pattern: clause(
      `我最(?:喜欢|爱)(?:吃|喝|看|听|玩)?的(?<of>[^，。、是]{1,8})(?:就是|还是|一直是|是|莫过于)(?<object>[^，。、]{1,20})`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'dislikes',
    confidence: LIKELY,
    pattern: clause(
      `${WHO}(?:不(?:怎么|太|是很|是特别)?(?:喜欢|爱(?=[吃喝看听玩]))|讨厌|受不了|反感)(?:[吃喝](?=..))?${THINGS}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: clause(
      `${WHO}(?:喜欢上?了?|爱上了|热爱|迷上了?|爱(?=[吃喝看听玩])|痴迷|钟爱)(?:[吃喝](?=..))?${THINGS}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'hobby',
    pattern: clause(`${OF}(?:的)?(?:业余)?(?:爱好|兴趣|兴趣爱好)(?:就?是|有|包括)${OBJECT}`),
    except: NO_THING,
  },
  {
    predicate: 'plays',
    pattern: clause(
      `${ME}(?:会|在学|学过|在练|经常|喜欢)?(?:弹|打|拉|吹|踢)(?<object>${INSTRUMENTS_AND_SPORTS})`,
    ),
  },
  {
    predicate: 'speaks',
    pattern: clause(`${WHO}(?:会|能)(?:说|讲)(?<object>(?:${LANGUAGES})(?:[和、与](?:${LANGUAGES}))*)`),
  },
  {
    predicate: 'pet',
    pattern: clause(
      `(?:我|我们|我家|家里|我们家)(?:里|现在|也|刚刚?|最近|还|一共|总共)*(?:养了|养着|养的?是|有|领养了|收养了)(?<object>(?:${COUNT}${MEASURE})?(?:[^，。、我你他她]{0,6})(?:${ANIMALS})(?:叫(?:做)?[^，。、]{1,8})?)$`,
    ),
  },
  {
    predicate: 'family',
    pattern: clause(
      `(?:我|我们|我家|家里|我们家)(?:里|现在|也|还)*有(?<object>${COUNT}个?(?:[^，。、我你他她]{0,4})(?:${RELATIVES})(?:和${COUNT}个?(?:${RELATIVES}))?)$`,
    ),
  },
  {
    predicate: 'owns',
    confidence: LIKELY,
    begins: true,
    pattern: clause(
      `(?:我|我们|我家)(?:昨天|今天|上周|上个月|去年|最近|终于|刚刚?|自己|也|已经)*(?:买了|买下了|入手了|有)(?<object>(?:一?[辆台套把架部间栋个])(?:新|二手|新的)?(?:[^，。、的]{0,6})(?:${DURABLES}))$`,
    ),
  },
];

const OPENING =
  /^(?:(?:嗯+|哦+|啊+|哈+|唉|哎|诶|对了?|是的|是啊|好的?|不是|没有|其实|不过|但是?|可是|因为|所以|而且|然后|另外|话说|说起来|还有|毕竟|当然|说实话|老实说|谢谢你?|你好|您好|大家好|嗨|hi|hello|哈喽|告诉你|跟你说|我跟你说|我告诉你|悄悄告诉你|那|那么|反正|总之|虽然|你知道吗?)[，,\s！!。~～…]*)+/iu;
const SEAM = /[，,；;：:\s~～—]+|(?:但是?|不过|所以|而且|因为|可是|然后|并且)(?=我)/u;
const HEARSAY =
  /[他她](?:说|问|觉得|告诉|以为)|(?:妈妈?|爸爸?|老师|朋友|医生|同事|老板)(?:说|问|觉得)|据说|听说|歌词|台词|小说|剧本|作文|扮演|假装|以.{1,10}为题/u;
const QUOTED = /“[^”]*”|「[^」]*」|"[^"]*"|《[^》]*》/g;

export const chinese: Reader = {
  language: 'zh',
  rules: RULES,
  clauses: (text) =>
    text
      .normalize('NFKC')
      .replaceAll(QUOTED, (quoted) =>
        quoted.startsWith('《') || quoted.length <= 10 ? quoted.replaceAll(/[“”「」"]/g, '') : ' ',
      )
      .replace(/[。.!！…~～\s]+$/u, '')
      .split(SEAM)
      .map((part) => part.replace(OPENING, '').trim()),
  isHearsay: (text) => HEARSAY.test(text),
  tidy(words) {
    const object = words
      .trim()
      .replace(/(?:这边|那边|啊|呀|哦|呢|啦|吧|哈|嘛|哟|诶|噢|的说|来着|了)+$/u, '')
      .replace(/^(?:一种|一些|[只条个匹头](?=.))/u, '')
      .replace(/(?<=^.{2,6})的$/u, '');
    // 太甜的, 能看懂的: what of, nobody can tell.
    return object === '' || /[太点能更些].*的$/u.test(words.trim()) ? null : object;
  },
};
