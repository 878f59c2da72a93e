/** Rules for facts in Chinese sentences about the speaker. */
import { CHINESE_SURNAMES } from '../../text/text.ts';
import { LIKELY, predicateFor, type Person, type Reader, type Rule } from './rule.ts';

const CLOSE =
  '老公|老婆|丈夫|妻子|先生|太太|媳妇|未婚夫|未婚妻|男朋友|女朋友|男友|女友|儿子|女儿|姐姐|妹妹|哥哥|弟弟|孙子|孙女|外孙|外孙女';
const KIN = `${CLOSE}|妈妈|爸爸|母亲|父亲|老妈|老爸|爸妈|妈|爸|孩子|宝宝|奶奶|爷爷|外婆|外公|姥姥|姥爷|婆婆|公公|岳母|岳父|叔叔|阿姨|舅舅|姑姑|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|侄子|侄女|外甥女?`;
const PETS = '狗狗?|小狗|猫咪?|猫猫|小猫|兔子|仓鼠|乌龟|鹦鹉|柯基|金毛|泰迪|柴犬|布偶|英短|橘猫';
const FRIENDS = '大学室友|室友|闺蜜|同桌|同事|老板|领导|邻居|好朋友|朋友|大学同学|同学|导师|师兄|师姐';
const RELATIVES =
  '姐姐|妹妹|哥哥|弟弟|姐|妹|哥|弟|儿子|女儿|孩子|娃|宝宝|兄弟|姐妹|表哥|表姐|表弟|表妹|侄子|侄女|外甥|孙子|孙女|双胞胎';
const JOBS =
  '老师|教师|医生|护士|律师|工程师|程序员|设计师?|会计师?|药剂师|建筑师|摄影师|厨师|理发师|美发师|化妆师|咨询师|分析师|司机|警察|消防员|军人|记者|编辑|作家|画家|插画师|漫画家|翻译|导游|健身教练|教练|演员|歌手|主播|博主|大学生|研究生|博士生|高中生|初中生|公务员|销售|业务员|售货员|收银员|服务员|快递员|外卖员|保安|保姆|产品经理|项目经理|经理|主管|总监|秘书|前台|文员|文案|出纳|审计|客服|运营|人事|教授|讲师|研究员|飞行员|机长|空姐|乘务员|农民|工人|电工|木匠|创业者|自由职业者?|家庭主妇|全职妈妈|社工|实习生|店长|店员|咖啡师|兽医|法官|银行职员|财务|CFO|CEO|HR';
const CONDITIONS =
  '糖尿病|高血压|低血压|高血脂|哮喘|抑郁症|焦虑症|失眠症|偏头痛|痛风|鼻炎|胃病|胃炎|湿疹|贫血|缺铁性贫血|乳糖不耐受|阿尔茨海默|老年痴呆|帕金森|心脏病|冠心病|癫痫|类风湿|颈椎病|腰椎间盘突出|甲减|甲亢|多囊|近视|色盲|散光|[\\p{Script=Han}]{1,2}癌';
const DURABLES =
  '车|汽车|电动车|摩托车|自行车|电车|房|房子|公寓|吉他|钢琴|小提琴|电子琴|相机|单反|电脑|笔记本|平板|手机|游戏机|望远镜|缝纫机|保温杯';
const MAKES =
  '比亚迪|特斯拉|蔚来|小鹏|理想|沃尔沃|宝马|奔驰|奥迪|大众|丰田|本田|日产|别克|吉利|华为|小米|苹果|iPhone|MacBook';
const LANGUAGES =
  '英语|日语|韩语|法语|德语|西班牙语|俄语|意大利语|葡萄牙语|阿拉伯语|泰语|越南语|粤语|上海话|四川话|闽南语|客家话';
const INSTRUMENTS =
  '钢琴|吉他|小提琴|大提琴|古筝|琵琶|二胡|长笛|萨克斯|架子鼓|鼓|贝斯|尤克里里|羽毛球|乒乓球|网球|篮球|足球|排球';
const COUNT = '[一二两三四五六七八九十\\d]';
const HOW =
  '(?:其实|现在|目前|一直|都|也|还是?|就|真的?|很|最|超级?|特别|非常|挺|蛮|比较|好|太|可|更|从小就?|向来|平时|平常|最近|已经|刚刚?|终于|是)*';
const NAME = '(?:[\\p{Script=Han}]{2,3}?|[A-Z][A-Za-z]+)';
const GIVEN =
  '(?!明[天年早晚])[^的了是在和跟就不没有会要去来到说问给很也都又还今昨这那我你他她们个家里上下\\s\\P{Script=Han}]';
/** Forms that only names have: 小红, 朵朵, 张伟明, Vivian. */
const FORM = `(?:[小阿老大]${GIVEN}|(?:${CHINESE_SURNAMES})${GIVEN}{1,2}|[A-Z][A-Za-z]+)`;
/** A person or animal of the speaker; without 我 only close relatives, or with a name. */
const OTHERS = `(?:就是)?(?:我(?:们?家)?的?(?<whose>${KIN}|${PETS})(?:叫?(?<name>${NAME}))??|(?<whose>${CLOSE}|婆婆|公公|岳母|岳父)(?:叫?(?<name>${NAME}))??|(?:我的?)?(?<whose>${FRIENDS})(?<name>${FORM}))(?!们)`;
const ME = `(?:我(?:自己|本人|个人)?|本人)${HOW}`;
const WHO = `(?:${ME}|${OTHERS}(?!的)${HOW})`;
const OF = `(?:我的?|${OTHERS}的?)`;
const WHEN =
  '(?:上个月|这个月|上周|这周|(?:去年|今年|前年)(?:[春夏秋冬]天|年初|年底)?|昨天|前天|前几天|今天|最近|\\d+月|\\d{4}年)';
const OBJECT = '(?<object>[^，。；：,.;:!?！？~～（）()]{1,24})';
const OBJECT_AND = '(?<object>[^，。、；：,.;:!?！？~～（）()]{1,24})';

function rule(limits: Omit<Rule, 'pattern'>, words: string): Rule {
  return { ...limits, pattern: new RegExp(`^${words}`, 'u') };
}

const NO_THING =
  /^一[部个本首条种]$|^(?:[吃喝看听玩去](?:$|的$|不|[那这些])|现在|目前|刚才|今天|先|能|带点?|些|有点|你|您|他|她|它|我|这|那|谁|啥|什么|怎么|哪|和你|跟你|被|让|别人|大家|有人|的|了|是|自己|就|到|过|上(?!班|学|网|海)|得|不|一个|一下|一点|起来|早饭|午饭|晚饭|太多|数字)|(?:的时候|的话|的样子|的那|吗|呢|觉得|的人)$|[太点能更].*的$|.{7,}的$/u;
/** Characters that do not occur in names of places. */
const PLACE =
  /^(?!哪|这|那|一|同|自己|附近|隔壁|楼|宿舍|酒店|宾馆|学校|家|公司|医院|外面|里面|农村|城里|乡下|市区|郊区|你|我|他|她|不|新|出租|别处|了|的|过|得|到|阳台|海边|我们|.*[家里边上下内外]$)(?:[^的了是在我你他她这那]{2,8}|[^的了我你他她]{2,6}[区县市镇村])$/u;
const PERSON =
  /^(?!你|他|她|它|我|了|得|着|过|什么|啥|一|醒|外卖|车|不|个|住|停|到|出|来|上|起|人|大家|苦|好|过来|救护|去|别|怎|先|给|做|回|帮|吃|声)(?:\p{Script=Han}{1,4}|[A-Za-z]+(?: [A-Za-z]+)?)$/u;

const RULES: readonly Rule[] = [
  // Endings come first: their patterns contain those of beginnings.
  rule(
    { predicate: 'likes', ends: true, except: NO_THING },
    `${ME}(?:不再|没那么)(?:喜欢|爱|热爱)(?:吃|喝|看|听|玩)?${OBJECT_AND}`,
  ),
  rule(
    { predicate: 'likes', ends: true, except: NO_THING },
    `${ME}不(?:怎么|太)?(?:喜欢|爱)(?:吃|喝|看|听|玩)?(?<object>[^，。、]{1,20})了`,
  ),
  rule(
    { predicate: 'home', ends: true, only: PLACE },
    `我们?(?:现在|已经|早就|早)?(?:不再?|没)住在?(?<object>[^，。、]{1,15}?)了?$`,
  ),
  rule({ predicate: 'workplace', ends: true, object: '' }, `${ME}${WHEN}?(?:辞职|离职|被裁员|被裁)(?:了|啦)`),

  rule(
    { predicate: 'name', only: PERSON },
    `(?:我(?:的?(?:大名|全名|本名|名字))?(?:就)?叫(?:做)?|我的?(?:名字|大名|全名|本名)(?:就?是|叫做?)|我是新来的叫)${OBJECT_AND}$`,
  ),
  // 我是阿诺: 阿 before one character is only a form of address.
  rule(
    { predicate: 'name', only: PERSON, confidence: LIKELY },
    `我是(?<object>阿(?![姨婆妈爸])\\p{Script=Han})$`,
  ),
  rule(
    { predicate: 'nickname', only: PERSON },
    `(?:你?(?:可以|就)?(?:直接)?|大家都?|朋友们?都?|请)[叫喊]我(?<object>[^，。、]{1,6}?)(?:就好|就行|就可以|吧|好了|即可)?$`,
  ),
  rule(
    { predicate: 'birthday', only: /[\d一二三四五六七八九十正腊]+月(?:[\d初一二三四五六七八九十廿])/u },
    `${OF}生日(?:就?是|在)${OBJECT_AND}`,
  ),
  rule(
    { predicate: 'age' },
    `(?:${OTHERS}|我)(?:今年|现在|已经|都|快|刚刚?|马上|也)*(?:满)?(?<object>[1-9]\\d|\\d(?=岁)|[一二三四五六七八九]?十[一二三四五六七八九]?|[三四五六七八九](?=岁))(?:岁(?:了|啦|半)?$|(?<=\\d)$|(?<=今年\\d\\d)(?:了|啦)$)`,
  ),
  // 我叫周敏，41岁.
  rule({ predicate: 'age' }, '(?<object>[1-9]\\d)岁$'),
  rule(
    { predicate: 'home', begins: true, only: PLACE },
    `(?:${WHEN}|${WHEN}?(?:我们(?:全?家)?${HOW}|${WHO})${WHEN}?)[又才刚]*(?:搬|移居|定居)(?:到|来|去|回|在)了?(?<object>[^，。、了住!]{1,12})`,
  ),
  // 今天搬家，从通州搬到了望京: without a subject, only where the speaker told of moving house.
  rule(
    {
      predicate: 'home',
      begins: true,
      only: PLACE,
      except: /口$/u,
      earlier:
        /^(?!.*(?:公司|单位|店|厂|学校|办公室|总部|部门)).*(?:搬(?:了?[次个]?家|新家)|新家|租的?房|房东)/su,
    },
    `(?:最后|又|才|就)?(?:从[^，。]{1,8}?)?搬(?:到|去|来|进)了(?<object>[^，。、了住!]{1,12})`,
  ),
  rule(
    { predicate: 'home', begins: true, only: PLACE },
    `${WHO}(?:(?:跟人|和人)?(?:合)?[住租](?:在|到了?)?(?!院|过|得)|居住在|定居在)(?<object>[^，。、!]{1,15}?)(?:这边|那边|了|呢|啦|这里|的)?[!]?$`,
  ),
  rule({ predicate: 'home', only: PLACE }, `我家(?:现在)?(?:住)?在${OBJECT_AND}$`),
  rule(
    {
      predicate: 'origin',
      except:
        /^(?:什么|哪|同路|普通|年轻|成年|单身|中年|过来|路|打工|上班|急性|内向|外向|独生|聪明|感性|理性|喜欢|认识|少数|你|他|她|两|三|双鱼|完美|性情|[\d])|(?:代理|负责|主持|发起|联系|经纪|合伙|继承|候选|监护|当事|介绍|创始|执行|投资|管理|主讲|代言|病|工|军|商|诗|艺|证|主|客|恋|爱|党|新|名|中)$/u,
      only: /^\p{Script=Han}+$/u,
      confidence: LIKELY,
    },
    `我(?:自己|本人)?(?:其实|也|都|就)*是(?:土生土长的?|地道的?)?(?<object>[^，。、一这那好坏大老男女外本个很不有的是]{2,5})人$`,
  ),
  rule(
    { predicate: 'origin', only: /^(?!你|我|这|那|哪)[\p{Script=Han}]{2,8}$/u },
    `(?:${ME}来自|我的?(?:老家|家乡|故乡)(?:就?是在?|在)|我家(?=.{2,4}的$))${OBJECT_AND}`,
  ),
  rule(
    { predicate: 'formerJob', except: /他|她|你/u },
    `我(?:以前|之前|过去|曾经)(?:是|做过?|当过?)(?:一?[名个位])?(?<object>[^，。、这那的你他她]{0,8}(?:${JOBS}))`,
  ),
  rule(
    {
      predicate: 'workplace',
      begins: true,
      isOneOfSeveral: true,
      except: /^(?:这|那|我们|公司$|医院$|学校$)/u,
    },
    `(?:${WHO}?在|从[^，。]{1,8}跳槽?到了?|${ME}接受了)(?<object>[^，。、]{2,16}?(?:公司|工作室|医院|银行|律所|学校|事务所|集团))(?:做|当|写|上班|的offer|$)`,
  ),
  rule(
    {
      predicate: 'job',
      begins: true,
      except:
        /^(?:好|最|他|她|你|不|没|老|怕|被|和|跟|班里|我们|以前|曾|像)|的(?:老师|老板|医生)$|^[王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董程曹袁邓许沈曾彭].{0,2}(?:医生|经理|老师|老板|教授|律师)$/u,
    },
    `(?:${WHO}|(?=在))(?:在[^，。、]{1,16})?(?:是|做|当|当上了?|当了|做了)(?:着)?(?:一?[名个位])?(?<object>[^，。、这那你他她]{0,8}(?:${JOBS}))(?:了|的|呢|啦)?$`,
  ),
  rule(
    { predicate: 'job', begins: true, only: new RegExp(`(?:${JOBS}|师|员)$`, 'u') },
    `(?:我的?(?:工作|职业)|(?:我的?)?职位)是(?:做|当)?(?:一?[名个位])?${OBJECT_AND}`,
  ),
  // 程序员，天天坐着: alone after other statements about the speaker.
  rule({ predicate: 'job' }, `(?<object>(?:程序员|护士|公务员|会计|大学生|研究生))$`),
  rule(
    {
      predicate: 'workplace',
      begins: true,
      except:
        /处理|完成|进行|^(?:家|这|那|外|认真|努力|一起|哪|拼命|加班|忙|找|等|想|公司$|单位$|周|晚上|白天|新)/u,
    },
    `${WHO}${HOW}在(?<object>[^，。、]{1,15}?)(?:工作|上班|任职|就职|实习)(?:了|的|呢|\\d.*|[一二两三四五六七八九十]+年.*)?$`,
  ),
  rule(
    { predicate: 'marriage', object: '已婚', begins: true },
    `${ME}(?:${WHEN}?(?:结婚|领证)(?:了$|啦$|[\\d一二三四五六七八九十]+年)|已婚)`,
  ),
  rule({ predicate: 'marriage', object: '单身' }, `${ME}(?:单身|未婚)(?!派对|公寓)`),
  rule({ predicate: 'marriage', object: '离异', begins: true }, `${ME}${WHEN}?(?:离婚了|离异)`),

  rule(
    { predicate: 'allergy', except: /^(?:你|他|她|数字|这|那|什么|对|就|又)|吗$|对/u },
    `${WHO}(?:对)?(?!${KIN})(?<object>[^，。、不会对]{1,8}?)(?:严重|有点|会|也|都)?过敏`,
  ),
  rule(
    { predicate: 'avoids', except: /^(?:得|过|完|什么|东西|药|亏|醋|到|啥|太|一|也|多|不|软|苦|玩意)/u },
    `${ME}(?:不能|从来?不|真不|不|吃不了|不敢|不爱)吃(?<object>[^，。、了的这那饭早晚午]{1,6})(?:的|啦)?$`,
  ),
  rule(
    {
      predicate: 'avoids',
      except: /^(?:得|过|完|什么|东西|药|亏|醋|到|啥|太|一|也|多|不|软|苦|玩意)/u,
      earlier: /我(?:自己|本人|其实|一直|真|从来)?(?:不能|不|吃不了|不敢|不爱)吃/u,
    },
    `也(?:不能|从来?不|不|吃不了|不敢|不爱)吃(?<object>[^，。、了的这那饭早晚午]{1,6})(?:的|啦)?$`,
  ),
  rule({ predicate: 'diet' }, `${ME}是?个?(?<object>素食主义者|素食者|纯素)`),
  rule({ predicate: 'diet', object: '素食' }, `${ME}(?:只|常年|长期)?吃素`),
  rule(
    { predicate: 'health' },
    `(?:(?:体检)?(?:查出|确诊)了?|医生说我是?|${WHO}(?:去年|今年)?(?:有|得了|患有|确诊了?|查出了?|是))(?:点|轻度|严重的?|先天性)?(?<object>${CONDITIONS})`,
  ),
  rule({ predicate: 'health' }, `${ME}(?<object>乳糖不耐受|色盲|近视\\d*度?|喝牛奶会?拉肚子)`),
  rule(
    { predicate: 'favourite', except: NO_THING },
    `我最(?:喜欢|爱)(?:吃|喝|看|听|玩)?的(?<of>[^，。、是]{1,8})(?:就是|还是|一直是|是|莫过于)${OBJECT_AND}`,
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    `${WHO}(?:不(?:怎么|太|是很|是特别)?(?:喜欢|爱(?=[吃喝看听玩]))|讨厌|受不了|反感)(?:[吃喝](?=..))?${OBJECT}`,
  ),
  rule(
    { predicate: 'likes', confidence: LIKELY, except: NO_THING },
    `${WHO}(?:喜欢(?!上)|热爱|迷上了?|爱(?=[吃喝看听玩]..)|痴迷|钟爱)(?:[吃喝](?=..))?${OBJECT}`,
  ),
  rule(
    { predicate: 'hobby', except: NO_THING },
    `我的?(?:业余)?(?:爱好|兴趣|兴趣爱好)(?:就?是|有|包括)${OBJECT}`,
  ),
  rule({ predicate: 'hobby' }, `(?:而且)?我(?:最近)?开始(?<object>学[^，。、了的]{1,6})了`),
  rule(
    { predicate: 'plays' },
    `${WHO}(?:会|在学|学过|在练|学了[^，。]{1,3}年|经常)*(?:弹|打|拉|吹|踢)?(?<=[弹打拉吹踢年学练])(?<object>${INSTRUMENTS})`,
  ),
  rule(
    { predicate: 'speaks' },
    `${WHO}(?:会|能)(?:说|讲)(?<object>(?:${LANGUAGES})(?:[和、与](?:一点)?(?:${LANGUAGES}))*)`,
  ),
  rule(
    { predicate: 'pet', except: /手|耳|眼/u },
    `(?:(?:我|我们|我家|家里|我们家)(?:里|现在|也|刚刚?|最近|还|一共|总共)*|${WHEN})(?:养了|养着|有|领养了|收养了|捡了)(?<object>(?:${COUNT}?[只条个头匹])?(?:[^，。、我你他她]{0,4})(?:${PETS})(?:叫(?:做)?[^，。、]{1,8})?)[!]*$`,
  ),
  rule(
    { predicate: 'family' },
    `(?:我|我们|我家|家里|我们家)(?:里|现在|也|还)*有(?<object>(?:${COUNT}?[个对])(?:[^，。、我你他她]{0,3})(?:${RELATIVES})(?:和${COUNT}?个?(?:${RELATIVES}))?)$`,
  ),
  rule(
    { predicate: 'owns', confidence: LIKELY, begins: true },
    `(?:(?:我|我们|我家)(?:昨天|今天|上周|上个月|去年|最近|终于|刚刚?|自己|也|已经)*(?:买了|买下了|入手了|有|开)|(?:我|我们)?(?:现在)?换了|车(?:上周|昨天|今天)?提了)(?<object>(?:一?[辆台套把架部间栋个])(?:新|二手|新的)?(?:[^，。、的票]{0,6})(?:${DURABLES}|${MAKES})(?!票|位|祸)[\\w\\d]*)$`,
  ),
  rule({ predicate: 'owns', confidence: LIKELY }, `(?:我|我们|我家|家里)的(?<object>${MAKES})开了`),
];

const OPENING =
  /^(?:(?:嗯+|哦+|啊+|哈+|唉|哎|诶|对了?|是的|是啊|好的?|不是|没有|就是(?=我)|其实|不过|但是?|但|而(?=我)|可是|因为|所以|而且|然后|另外|话说|说起来|还有|补充一下|汇报一?下?|毕竟|当然|说实话|老实说|谢谢你?|你好|您好|大家好|嗨|hi|hello|哈喽|告诉你|跟你说|我跟你说|我告诉你|悄悄告诉你|那|那么|反正|总之|虽然|你知道吗?|健康方面|工作上|在不在)[，,\s！!。~～…：:]*)+/iu;
const SEAM =
  /(?:[，,；;~～—/]|(?<!\d)[：:]|[：:](?!\d)|(?<![A-Za-z])\s|\s(?![A-Za-z]))+|(?:但是?|不过|所以|而且|因为|可是|然后|并且|另外)(?=我)|!+(?=.)/u;
const HEARSAY =
  /[他她](?:说|问|觉得|告诉|以为)|(?:妈妈?|爸爸?|老师|朋友|同事|老板)(?:说|问|觉得)|据说|听说|怀疑/u;
const QUOTED = /“[^”]*”|「[^」]*」|"[^"]*"|《[^》]*》/g;

/** Whom a text is about: a following clause without a subject is probably about the same. */
const TOPIC = new RegExp(`(?<other>${KIN}|${PETS}|${FRIENDS}|[他她]|姓名|患者|助手)|我`, 'gu');

const AFTER =
  '(?=$|[\\s，。！？、,.!?；;：:（(]|[和跟是在的今明昨也都就又说去来想会喜爱对养学考读才刚还一\\d]|家)';
const NAMED = new RegExp(
  `(?<mine>我(?:们?家|养)?的?|家里的?|(?<![的\\p{Script=Han}])|(?<=(?:^|[，。！？\\s])(?:我[^，。]{0,12})?(?:就是|[和跟与同找约]))|(?<=我[^，。]{0,12}[和跟与同找约]))(?<kin>${KIN}|${PETS}|${FRIENDS})(?:(?<called>名?叫(?:做)?|，叫)(?<told>[\\p{Script=Han}]{2,4}?|[A-Z][A-Za-z]+)(?=$|[\\s，。！？、,.!?；;（(]|[是的]|一[起])|(?<name>${FORM}|(?<twice>${GIVEN})\\k<twice>)${AFTER}|(?<aged>[\\p{Script=Han}]{2})(?=(?:今年)?\\d+岁))`,
  'gu',
);
/** 林可是我女朋友, 林可答应做我女朋友了. */
const IS_MINE = new RegExp(
  `(?<=^|[，。！？\\s])(?<name>${FORM})(?:现在|就|已经)*(?:是|成了|成为了?|答应(?:做|当))我的?(?<kin>${KIN}|${FRIENDS})(?=$|[，。！？,.!?\\s了啦])`,
  'gu',
);
const IS_KIND = new RegExp(`^(?:${KIN}|${PETS}|${FRIENDS})$`, 'u');
const CLOSE_OF_MINE = new RegExp(
  `(?<!不是|不再是|不算|没有|想[做当])我(?:们?家)?的?(?<kin>${CLOSE})(?!们|人)`,
  'gu',
);
const NO_NAME =
  /^(?:爸爸|妈妈|奶奶|爷爷|哥哥|姐姐|弟弟|妹妹|康复|老家|老师|老公|老婆|老是|小时|小心|小学|小区|大家|大学|大概|大人|大哭|老板|小孩|老人|高中|高考|单位|马上|方便|成绩|时间|任何|水平|常常|应该|许多|全家|大哥|大姐)/u;

function peopleIn(text: string): Person[] {
  const named = [...text.matchAll(NAMED)].flatMap((match): (Person & { at: number })[] => {
    const { mine = '', kin = '', told, name: form, aged } = match.groups ?? {};
    const name = told ?? form ?? aged ?? '';
    // The relation needs a possessor or a name: 女儿知遥13岁 of a list, 猫叫年糕.
    if (NO_NAME.test(name) || !PERSON.test(name) || (mine === '' && kin.length < 2 && told === undefined))
      return [];
    const predicate = predicateFor(kin, { pets: PETS, friends: FRIENDS });
    const at = match.index + mine.length;
    return [{ at, relation: kin, name, predicate, written: kin + name }];
  });
  for (const { index, 0: words, groups } of text.matchAll(IS_MINE)) {
    const { name = '', kin = '' } = groups ?? {};
    if (NO_NAME.test(name) || IS_KIND.test(name)) continue;
    const predicate = predicateFor(kin, { pets: PETS, friends: FRIENDS });
    named.push({
      at: index + words.length - kin.length,
      relation: kin,
      name,
      predicate,
      written: kin + name,
    });
  }
  const bare = [...text.matchAll(CLOSE_OF_MINE)].flatMap((match): Person[] => {
    const { kin = '' } = match.groups ?? {};
    const at = match.index + match[0].length - kin.length;
    if (named.some((one) => one.at === at)) return [];
    return [{ relation: kin, name: null, predicate: 'family', written: kin }];
  });
  return [...named, ...bare];
}

export const chinese: Reader = {
  language: 'zh',
  rules: RULES,
  people: peopleIn,
  plain: (sentence) =>
    sentence
      .normalize('NFKC')
      .replaceAll(QUOTED, (quoted) =>
        quoted.startsWith('《') || quoted.length <= 10 ? quoted.replaceAll(/[“”「」"]/g, '') : ' ',
      )
      .replace(/[。.!！…~～\s]+$/u, ''),
  clauses: (plain) => plain.split(SEAM).map((part) => part.replace(OPENING, '').trim()),
  asOwn: (clause, name) => `我${clause.slice(name.length)}`,
  topicOf: (text) => ([...text.matchAll(TOPIC)].at(-1)?.groups?.['other'] === undefined ? null : ''),
  isHearsay: (text) => HEARSAY.test(text),
  tidy(words) {
    const object = words
      .trim()
      .replace(/(?:这边|那边|啊|呀|哦|呢|啦|吧|哈|嘛|哟|诶|噢|的说|来着|了)+$/u, '')
      .replace(/^(?:一种|一些|[只条个匹头](?=.))/u, '')
      .replace(/(?<=^.{2,6})的$/u, '');
    // 太甜的, 能看懂的: the noun is missing.
    return object === '' || /[太点能更些].*的$/u.test(words.trim()) ? null : object;
  },
};
