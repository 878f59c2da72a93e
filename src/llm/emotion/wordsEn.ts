import type { Lexicon } from './lexicon.ts';

/** English words and phrases of emotion, separated by commas; words are in their base form. */
export const ENGLISH: Lexicon = {
  joy: {
    strong:
      "thrilled, thrill, delighted, overjoyed, ecstatic, elated, euphoric, over the moon, best day, never been happier, couldn't be happier",
    plain:
      'happy, happiness, joy, joyful, glad, love, enjoy, fun, celebrate, proud, excited, exciting, awesome, amazing, fantastic, wonderful, cheerful, pleased, grateful, thankful, blessed, laugh, congratulations, congrats, yay, hooray, woohoo, made my day, delight, blast, not bad at all',
    slight:
      'great, nice, cool, lovely, perfect, delicious, tasty, yummy, beautiful, sweet, smile, good, not bad, wow, gift, party',
  },
  peace: {
    strong: 'serene, tranquil, blissful, bliss',
    plain:
      'calm, peaceful, peace, relaxed, relaxing, relax, relief, relieved, soothing, comfortable, cozy, content, at ease, meditate, meditation, unwind',
    slight: 'quiet, rest, gentle, comfy, chill, slow down, no worries, nature',
  },
  trust: {
    strong: 'trust you completely, have my back, got your back',
    plain:
      'trust, reliable, loyal, honest, honesty, sincere, faithful, count on, rely on, believe in you, dependable, confide',
    slight:
      'thanks, thank, appreciate, support, supportive, promise, believe, safe, help me out, happy to help',
  },
  curiosity: {
    strong: 'dying to know, fascinating, fascinated',
    plain:
      'curious, curiosity, intrigued, intriguing, wonder, interested, interesting, tell me more, want to know',
    slight: 'how come, explore, discover, learn, what about, figure out, try out',
  },
  flutter: {
    strong: 'in love, head over heels, smitten, falling for, fell for, heart skipped',
    plain:
      'crush, romantic, butterflies, infatuated, heart racing, blush, love you, first date, fancy him, fancy her',
    slight: 'cute, adorable, handsome, gorgeous, charming, kiss, flirt',
  },
  playfulness: {
    strong: 'hilarious, lmao, rofl',
    plain: 'haha, hahaha, lol, funny, joke, kidding, silly, goofy, tease, prank, playful, hehe, mischievous',
    slight: 'quirky, cheeky, pun, wink, teasing, game on',
  },
  empathy: {
    strong: 'sorry for your loss, condolences, heartfelt',
    plain:
      "sorry to hear, feel for you, must be hard, must be tough, must have been hard, must have been tough, sympathize, sympathy, compassion, compassionate, here for you, heart goes out, hear you, don't worry, not alone, sounds tough, sounds hard, that's tough, empathy",
    slight: 'care, caring, hug, take care, hang in there, comfort, get well',
  },
  hope: {
    strong: "can't wait, cannot wait, dream come true",
    plain:
      'hope, hopeful, looking forward, look forward, optimistic, aspire, determined, inspire, inspired, inspiring, encouraged, motivated, fingers crossed, would love, excited',
    slight: 'wish, goal, someday, good luck, dream, plan to, keep going, believe in, looking up',
  },
  conflict: {
    strong: 'torn between, betrayed, betray',
    plain:
      "argue, argument, fight, fought, quarrel, conflict, disagree, dilemma, on the fence, can't decide, regret, guilty, guilt, ashamed, jealous, jealousy, envy, resent, resentment, mixed feelings",
    slight:
      'confused, confusing, hesitate, unsure, awkward, doubt, tension, complicated, embarrassed, not sure',
  },
  anxiety: {
    strong: 'terrified, terrifying, panic, panicked, petrified, panic attack',
    plain:
      'anxious, anxiety, worried, worry, worrying, nervous, scared, scary, afraid, fear, frightened, frightening, stressed, stress, stressful, overwhelmed, overwhelming, dread, tense, uneasy, freaking out, insecure, nightmare, burned out, burnt out, burnout',
    slight: "concerned, concern, restless, risky, pressure, can't sleep, deadline, struggle",
  },
  sadness: {
    strong:
      'heartbroken, devastated, depressed, despair, grief, grieving, miserable, hopeless, passed away, heartbreak',
    plain:
      'sad, sadness, cry, cried, tears, lonely, loneliness, upset, disappointed, disappointing, disappointment, unhappy, gloomy, sorrow, broke up, feel down, feeling down, let down, mourn, funeral, died, feel blue, feeling blue, depressing, heartbreaking, hurt',
    slight:
      'miss, tired, exhausted, exhausting, unfortunately, sorry, pity, lost, alas, bummed, rough, miss you',
  },
  anger: {
    strong: 'furious, enraged, outraged, livid, rage, hate, hated',
    plain:
      'angry, anger, mad, annoyed, annoying, irritated, irritating, frustrated, frustrating, frustration, fed up, disgusted, disgusting, pissed, pissed off, unfair, sick of, resent',
    slight: 'damn, ugh, complain, rude, stupid, ridiculous, unacceptable, terrible, awful',
  },
};
