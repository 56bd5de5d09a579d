// The reader of the index that pinion-static writes. It runs in browsers, and natively in package answer. Written by pinion-static; changes are overwritten.
//
// What waits for files is a generator: it yields the names of files, all of which it needs, and is given their content, unpacked.
"use strict";

// What a word counts that is as it was typed, another form of it, and one that begins with it.
const EXACT = 10, FORM = 7, BEGUN = 5;

const MOST_TYPED = 512, MOST_WORDS = 16; // characters and words that a search looks at
const LEAST_BEGUN = 2; // characters that begin others
const MOST_BEGUN = 40; // words that begin with what is typed, the most frequent
const MOST_FILES = 3; // of words that begin with it
const PASSAGE = 160; // characters of text that are shown
const PHRASE_PAGES = 40; // pages whose texts are looked at for words in quotation marks

const utf8 = new TextDecoder();

// Words, as package words has them: without accents and what is not seen, in lower case.
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]/g;
const PAIRED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc";
const WITHIN = "\\p{L}\\p{N}\\p{M}_";
const RUNS = new RegExp(`((?:(?=[${WITHIN}])[${PAIRED}])+)|((?:(?![${PAIRED}])[${WITHIN}])+)`, "gu");
const LETTERS = { ł: "l", đ: "d", ø: "o", ħ: "h", ı: "i", ß: "ss", æ: "ae", œ: "oe", ς: "σ" };
const LONGEST = 64; // bytes of a word

function plain(text) {
  return text.replace(UNSEEN, "").normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
}

function lower(word) {
  return word.toLowerCase().replace(/[łđøħıßæœς]/g, (letter) => LETTERS[letter]);
}

function bytes(word) {
  let n = 0;
  for (const c of word) n += c < "\u0080" ? 1 : c < "\u0800" ? 2 : c.length === 1 ? 3 : 4;
  return n;
}

// words returns the words of a text: of each its form, those of its parts, and whether it is of two letters side by side.
export function words(text) {
  const all = [];
  for (const [, paired, run] of plain(text).matchAll(RUNS)) {
    if (paired) {
      const letters = [...paired];
      if (letters.length === 1) all.push({ form: lower(paired), parts: [], pair: true });
      for (let i = 1; i < letters.length; i++) all.push({ form: lower(letters[i - 1] + letters[i]), parts: [], pair: true });
      continue;
    }
    const word = run.replace(/^_+|_+$/g, "");
    if (!/[\p{L}\p{N}]/u.test(word)) continue;
    const fits = (part) => bytes(part) <= LONGEST;
    const parts = word.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1_").split("_").filter((part) => [...part].length > 1 && part.length < word.length).map(lower);
    all.push({ form: lower(word), parts: parts.filter(fits), pair: false });
  }
  return all.filter(({ form }) => bytes(form) <= LONGEST);
}

// compare compares strings in the order of their UTF-8.
function compare(a, b) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x === y) continue;
    const high = (c) => (c >= 0xe000 ? c - 0x800 : c >= 0xd800 ? c + 0x2000 : c); // surrogates stand for what is behind all others
    return high(x) - high(y);
  }
  return a.length - b.length;
}

// last returns the number of the last of sorted strings that is not behind one, or -1.
function last(sorted, text) {
  let from = 0, to = sorted.length;
  while (from < to) {
    const at = (from + to) >> 1;
    if (compare(sorted[at], text) <= 0) from = at + 1;
    else to = at;
  }
  return from - 1;
}

// edits returns how many characters must be changed, left out, added or exchanged with their neighbor to make b of a, or if open of the
// beginning of b. It is more than most if they are more than that.
function edits(a, b, most, open) {
  if (!open && Math.abs(a.length - b.length) > most || a.length - b.length > most) return most + 1;
  let before = null, row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      let n = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) n = Math.min(n, before[j - 2] + 1);
      next.push(n);
      least = Math.min(least, n);
    }
    if (least > most) return most + 1;
    [before, row] = [row, next];
  }
  return open ? Math.min(...row) : row[b.length];
}

// Lexicon is a file of words with their postings.
class Lexicon {
  constructor(content) {
    this.content = content;
    let at = 0;
    const number = () => {
      let n = 0, shift = 1;
      for (;;) {
        const b = content[at++];
        n += (b & 127) * shift;
        if (b < 128) return n;
        shift *= 128;
      }
    };
    const count = number();
    this.forms = [];
    this.stems = [];
    this.rarity = [];
    this.frequency = [];
    this.starts = [];
    let before = new Uint8Array(0);
    for (let i = 0; i < count; i++) {
      const same = number(), more = number(), form = new Uint8Array(same + more);
      form.set(before.subarray(0, same));
      form.set(content.subarray(at, at += more), same);
      before = form;
      this.forms.push(utf8.decode(form));
      this.stems.push(number());
      this.rarity.push(content[at++]);
      const postings = number();
      this.frequency.push(postings);
      this.starts.push(at);
      for (let left = postings; left > 0; at++) if (content[at] < 128) left--;
      at += postings;
    }
  }

  // find returns the number of a form, or -1.
  find(form) {
    const i = last(this.forms, form);
    return this.forms[i] === form ? i : -1;
  }

  // group returns the numbers of the forms with the stem of one.
  group(i) {
    const all = [];
    this.stems.forEach((stem, j) => { if (stem === this.stems[i]) all.push(j); });
    return all;
  }

  // most raises values by section to what a form counts there.
  most(i, factor, values) {
    const n = this.frequency[i], unit = this.rarity[i] * factor;
    let at = this.starts[i], section = 0;
    const sections = new Array(n);
    for (let k = 0; k < n; k++) {
      let delta = 0, shift = 1;
      for (;;) {
        const b = this.content[at++];
        delta += (b & 127) * shift;
        if (b < 128) break;
        shift *= 128;
      }
      sections[k] = section += delta;
    }
    for (let k = 0; k < n; k++) {
      const value = unit * this.content[at + k];
      if (value > values[sections[k]]) values[sections[k]] = value;
    }
  }
}

// parse reads what was typed: words, of which each has the number of the words in quotation marks that it is among, or -1. The last may go on.
function parse(typed) {
  const text = typed.slice(0, MOST_TYPED).replace(/[“”„‟«»‹›「」『』〝〞〟＂]/g, '"'), parts = text.split('"');
  let all = [], phrases = 0;
  parts.forEach((part, i) => {
    const quoted = i % 2 === 1 && i < parts.length - 1 && words(part).length > 1 ? phrases++ : -1;
    for (const word of words(part)) all.push({ ...word, quoted });
  });
  all = all.slice(0, MOST_WORDS);
  if (all.length > 0 && all.at(-1).quoted < 0 && /[\p{L}\p{N}\p{M}_]$/u.test(text)) all.at(-1).open = true;
  return { words: all, phrases, key: all.map(({ form }) => form).join(" ") };
}

// Reader answers searches of the pages of a language.
export class Reader {
  #head; #pageOf = []; #first = []; #texts = [0]; #files = new Map(); #names; #rules; #stop;

  constructor(head) {
    this.#head = head;
    head.pages.forEach(([, , sections], page) => {
      this.#first.push(this.#pageOf.length);
      for (let i = 0; i < sections; i++) this.#pageOf.push(page);
    });
    this.#first.push(this.#pageOf.length);
    for (const n of head.texts) this.#texts.push(this.#texts.at(-1) + n);
    this.#stop = new Set(head.stop ?? []);
  }

  // open reads the head of an index.
  static *open() {
    const [content] = yield ["head.bin"];
    return new Reader(JSON.parse(utf8.decode(content)));
  }

  // #read reads files, each once, and makes values of them.
  *#read(names, make) {
    const missing = [...new Set(names)].filter((name) => !this.#files.has(name));
    if (missing.length > 0) {
      const contents = yield missing;
      missing.forEach((name, i) => this.#files.set(name, make(contents[i])));
    }
    return names.map((name) => this.#files.get(name));
  }

  // #lexicons reads the files that words may be in, and those of words that they begin.
  *#lexicons(all) {
    const names = new Set();
    for (const { form, open } of all) {
      const from = Math.max(last(this.#head.words, form), 0), to = open ? Math.max(last(this.#head.words, form + "\u{10ffff}"), from) : from;
      for (let i = from; i <= Math.min(to, from + MOST_FILES - 1) && i < this.#head.words.length; i++) names.add(`w${i}.bin`);
    }
    yield* this.#read([...names], (content) => new Lexicon(content));
  }

  // #lists returns what counts for a word, of files that are read: for each form what it is of, and its factor.
  #lists({ form, open }) {
    const from = Math.max(last(this.#head.words, form), 0), lists = [];
    const lexicon = this.#files.get(`w${from}.bin`);
    const exact = lexicon?.find(form) ?? -1;
    if (exact >= 0) for (const i of lexicon.group(exact)) lists.push({ lexicon, i, factor: i === exact ? EXACT : FORM });
    if (!open || [...form].length < LEAST_BEGUN) return lists;
    const begun = [];
    for (let f = from; f < from + MOST_FILES; f++) {
      const of = this.#files.get(`w${f}.bin`);
      if (!of) break;
      for (let i = last(of.forms, form) + (f === from && exact >= 0 ? 1 : 0); i < of.forms.length; i++) {
        if (i < 0 || compare(of.forms[i], form) < 0) continue;
        if (!of.forms[i].startsWith(form)) break;
        if (of.forms[i] !== form) begun.push({ lexicon: of, i, factor: BEGUN });
      }
    }
    begun.sort((a, b) => b.lexicon.frequency[b.i] - a.lexicon.frequency[a.i]);
    return lists.concat(begun.slice(0, MOST_BEGUN));
  }

  // #resolve returns the units of a search: what each word stands for.
  *#resolve(q, answer) {
    yield* this.#lexicons(q.words);
    const units = [];
    for (let at = 0; at < q.words.length;) {
      const others = this.#synonyms(q.words, at);
      const n = others?.length ?? 1, own = [];
      for (const word of q.words.slice(at, at + n)) own.push(...(yield* this.#word(word, answer, others !== undefined)));
      at += n;
      if (!others) {
        units.push(...own);
        continue;
      }
      const alternatives = others.stays ? [own] : [];
      for (const side of others.to) {
        const of = words(side);
        yield* this.#lexicons(of);
        alternatives.push(of.map((word) => ({ lists: this.#lists(word) })));
      }
      units.push({ alternatives: alternatives.filter((units) => units.length > 0 && units.every(({ lists, alternatives }) => lists?.length > 0 || alternatives)) });
    }
    return units;
  }

  // #synonyms returns what the longest rule at a word says: how many words it is of, by what they are replaced, and whether they stay.
  #synonyms(all, at) {
    if (!this.#head.synonyms) return undefined;
    if (!this.#rules) {
      this.#rules = new Map();
      for (const { from, to } of this.#head.synonyms) {
        for (const side of from) {
          const key = parse(side).key, rule = this.#rules.get(key) ?? { to: new Set(), stays: false };
          for (const other of to) {
            if (parse(other).key === key) rule.stays = true;
            else rule.to.add(other);
          }
          this.#rules.set(key, rule);
        }
      }
    }
    for (let end = all.length; end > at; end--) {
      const rule = this.#rules.get(all.slice(at, end).map(({ form }) => form).join(" "));
      if (rule && all.slice(at, end).every(({ quoted }) => quoted < 0)) return { length: end - at, to: [...rule.to], stays: rule.stays };
    }
    return undefined;
  }

  // #word returns the units of a word: one, or those of its parts, or none if nothing is like it. Corrections and words that are left out go to
  // answer, unless the word has synonyms.
  *#word(word, answer, replaced) {
    let lists = this.#lists(word);
    const unit = (lists) => ({ lists, quoted: word.quoted, form: word.form });
    if (this.#stop.has(word.form)) return [{ ...unit(lists), stop: true }];
    if (lists.length > 0) return [unit(lists)];
    if (word.parts.length > 1) {
      const parts = word.parts.map((form, i) => ({ form, parts: [], quoted: -1, open: word.open && i === word.parts.length - 1 }));
      yield* this.#lexicons(parts);
      const units = [];
      for (const part of parts) units.push(...(yield* this.#word(part, answer, replaced)));
      return units;
    }
    const like = yield* this.#correct(word);
    if (!like) {
      if (!replaced) answer.missing.push(word.form);
      return [];
    }
    yield* this.#lexicons([{ form: like }]);
    lists = this.#lists({ form: like });
    if (!replaced) answer.corrected.push([word.form, like]);
    return [{ lists, quoted: -1, form: like }];
  }

  // #correct returns the word that is most like one that no page has: of those with as few slips behind the first letter the most frequent, or a
  // word that differs in its ending alone.
  *#correct({ form, open }) {
    const letters = [...form], most = letters.length < 4 ? 0 : letters.length < 8 ? 1 : 2;
    const file = last(this.#head.spelling, letters[0] + "\u{10ffff}"); // which has all words that begin with the letter
    if (most === 0 || file < 0) return undefined;
    const [all] = yield* this.#read([`s${file}.bin`], (content) => utf8.decode(content).trimEnd().split("\n"));
    let best, slips = most + 0.75;
    for (const line of all) {
      const other = line.slice(0, -1);
      if (!other.startsWith(letters[0])) continue;
      const b = [...other];
      let n = edits(letters, b, most, false);
      if (open && n > most) n = edits(letters, b, most, true) + 0.5; // what begins like it
      n -= Number(line.at(-1)) / 40; // of as many slips the most frequent
      if (n < slips) [best, slips] = [other, n];
    }
    return best ?? this.#ending(form);
  }

  // #ending returns a word that has the same beginning as one, of four letters at least and all but three.
  #ending(form) {
    const lexicon = this.#files.get(`w${Math.max(last(this.#head.words, form), 0)}.bin`);
    if (!lexicon) return undefined;
    const at = last(lexicon.forms, form);
    let best, longest = 0;
    for (const other of [lexicon.forms[at], lexicon.forms[at + 1]]) {
      if (other === undefined) continue;
      let same = 0;
      while (same < form.length && form[same] === other[same]) same++;
      if (same >= Math.max(4, form.length - 3, other.length - 3) && same > longest) [best, longest] = [other, same];
    }
    return best;
  }

  // #values returns what a unit counts in each section.
  #values(unit) {
    const values = new Int32Array(this.#pageOf.length);
    for (const { lexicon, i, factor } of unit.lists ?? []) lexicon.most(i, factor, values);
    for (const units of unit.alternatives ?? []) {
      const all = units.map((one) => this.#values(one));
      for (let s = 0; s < values.length; s++) {
        let sum = 0;
        for (const of of all) {
          if (of[s] === 0) { sum = 0; break; }
          sum += of[s];
        }
        if (sum > values[s]) values[s] = sum;
      }
    }
    return values;
  }

  // #called returns for each page the words of its title, and those of the last part of its address.
  #called() {
    this.#names ??= this.#head.pages.map(([url, title]) => {
      const path = decoded(url).replace(/\/$/, "").replace(/\.[a-z]+$/, "");
      return [title, path.slice(path.lastIndexOf("/") + 1)].map((name) => words(name).map(({ form }) => form).filter((form) => /\p{L}/u.test(form)));
    });
    return this.#names;
  }

  // search answers what was typed with k pages at most. Without texts, hits have the titles of pages alone: fewer files are read.
  *search(typed, k, texts = true) {
    const q = parse(typed), answer = { hits: [], total: 0, any: false, corrected: [], missing: [] };
    const units = yield* this.#resolve(q, answer);
    if (units.length === 0) return answer;
    const need = units.filter(({ stop }) => !stop), required = need.length > 0 ? need : units;
    const sums = new Int32Array(this.#pageOf.length), has = new Uint8Array(sums.length), pages = this.#head.pages.length, spread = new Int32Array(pages), covered = new Uint8Array(pages);
    for (const unit of units) {
      const counts = required.includes(unit), values = this.#values(unit);
      for (let page = 0; page < pages; page++) {
        let most = 0;
        for (let s = this.#first[page]; s < this.#first[page + 1]; s++) {
          sums[s] += values[s];
          if (values[s] > 0) has[s]++;
          if (values[s] > most) most = values[s];
        }
        spread[page] += most;
        if (most > 0 && counts) covered[page]++;
      }
    }
    let found = this.#ranked(q, units, { sums, has, spread, covered }, required.length);
    answer.any = found.length > 0 && found[0].covered < required.length;
    if (q.phrases > 0) found = yield* this.#phrases(q, found, answer);
    answer.total = found.length;
    answer.hits = yield* this.#show(found.slice(0, k), units, texts);
    return answer;
  }

  // #ranked returns the pages with all units, or if there are none those with some, the best first.
  #ranked(q, units, { sums, has, spread, covered }, required) {
    let found = [];
    const all = covered.some((n) => n === required);
    const typed = new Set(units.map(({ form }, i) => form ?? q.words[i]?.form)), names = this.#called();
    for (let page = 0; page < covered.length; page++) {
      if (all ? covered[page] < required : covered[page] === 0) continue;
      let section = this.#first[page], most = sums[section];
      for (let s = section + 1; s < this.#first[page + 1]; s++) {
        if (sums[s] > most) most = sums[s];
        if (has[s] > has[section]) section = s; // it has more of the words
        else if (has[s] === has[section] && (sums[s] > sums[section] || section === this.#first[page] && has[s] > 1)) section = s;
      }
      let called = 0; // how many of the words are what the page is called
      for (const name of names[page]) if (name.length > called && name.every((form) => typed.has(form))) called = name.length;
      const score = spread[page] + most + Math.floor((spread[page] * called) / typed.size);
      if (called === typed.size) section = this.#first[page];
      found.push({ page, section, score, covered: covered[page] });
    }
    return found.sort((a, b) => b.covered - a.covered || b.score - a.score || a.page - b.page);
  }

  // #phrases returns the pages that have words in quotation marks side by side, of the best ones: their texts are read. What is behind these is left
  // out, and answer says so.
  *#phrases(q, found, answer) {
    if (answer.any) return [];
    const wanted = Array.from({ length: q.phrases }, (_, n) => ` ${q.words.filter(({ quoted }) => quoted === n).map(({ form }) => form).join(" ")} `);
    const best = found.slice(0, PHRASE_PAGES), names = [];
    for (const { page } of best) for (let s = this.#first[page]; s < this.#first[page + 1]; s++) names.push(this.#textFile(s));
    yield* this.#read(names, (content) => JSON.parse(utf8.decode(content)));
    const kept = [];
    for (const hit of best) {
      const left = new Set(wanted);
      let section = -1;
      for (let s = this.#first[hit.page]; s < this.#first[hit.page + 1]; s++) {
        const [, heading, text] = this.#text(s);
        for (const part of [text, heading, s === this.#first[hit.page] ? this.#head.pages[hit.page][1] : ""]) {
          const forms = ` ${words(part).map(({ form }) => form).join(" ")} `;
          for (const phrase of left) {
            if (!forms.includes(phrase)) continue;
            left.delete(phrase);
            if (section < 0) section = s;
          }
        }
      }
      if (left.size === 0) kept.push({ ...hit, section });
    }
    if (found.length > best.length) answer.looked = best.length;
    return kept;
  }

  #textFile(section) {
    let from = 0, to = this.#texts.length - 1;
    while (from + 1 < to) {
      const at = (from + to) >> 1;
      if (this.#texts[at] <= section) from = at;
      else to = at;
    }
    return `t${from}.bin`;
  }

  // #text returns the anchor, the heading and the text of a section whose file is read.
  #text(section) {
    const name = this.#textFile(section);
    return this.#files.get(name)[section - this.#texts[Number(name.slice(1, -4))]];
  }

  // #show returns what is shown of hits.
  *#show(found, units, texts) {
    const forms = new Map(); // and the units that they are of
    const add = ({ lists, alternatives, form }, unit) => {
      if (form) forms.set(form, unit);
      for (const { lexicon, i } of lists ?? []) if (!forms.has(lexicon.forms[i])) forms.set(lexicon.forms[i], unit);
      for (const of of alternatives ?? []) for (const one of of) add(one, unit);
    };
    units.forEach(add);
    if (!texts) {
      return found.map(({ page, score }) => {
        const [url, title] = this.#head.pages[page];
        return { url, score, title: marked(title, forms), text: [""] };
      });
    }
    const shown = found.map(({ page, section }) => { // of a page that begins with a heading the text below it
      const next = section + 1 < this.#first[page + 1] ? section + 1 : section;
      return section === this.#first[page] ? [section, next] : [section];
    });
    yield* this.#read(shown.flat().map((s) => this.#textFile(s)), (content) => JSON.parse(utf8.decode(content)));
    return found.map(({ page, section, score }, i) => {
      const [anchor, heading, own] = this.#text(section), text = own || this.#text(shown[i].at(-1))[2], [url, title] = this.#head.pages[page];
      const hit = { url: anchor ? `${url}#${anchor}` : url, score, title: marked(title, forms), text: passage(text, forms) };
      if (heading) hit.heading = marked(heading, forms);
      return hit;
    });
  }
}

function decoded(url) {
  try { return decodeURIComponent(url); } catch { return url; }
}

const CHUNKS = new RegExp(`[${WITHIN}\u00ad\u200b-\u200d\u2060\ufeff]+`, "gu");

// spans returns where words in a text are found ones: from where, up to where, and of which unit.
function spans(text, forms) {
  const all = [];
  for (const match of text.matchAll(CHUNKS)) {
    const chunk = match[0], from = match.index;
    if (/^[A-Za-z0-9][a-z0-9]*$/.test(chunk)) { // has no parts
      const form = chunk.toLowerCase();
      if (forms.has(form)) all.push({ from, to: from + chunk.length, unit: forms.get(form) });
      continue;
    }
    if (plain(chunk).length === chunk.length && words(chunk).some(({ pair }) => pair)) {
      for (let i = 0; i < chunk.length; i++) {
        const form = [2, 1].map((n) => lower(plain(chunk.slice(i, i + n)))).find((form) => forms.has(form));
        if (form === undefined) continue;
        const before = all.at(-1);
        if (before && before.to >= from + i) before.to = from + i + form.length;
        else all.push({ from: from + i, to: from + i + form.length, unit: forms.get(form) });
      }
      continue;
    }
    for (const { form, parts } of words(chunk)) {
      const has = [form, ...parts].find((one) => forms.has(one));
      if (has === undefined) continue;
      all.push({ from, to: from + chunk.length, unit: forms.get(has) });
      break;
    }
  }
  return all;
}

// marked returns a text in parts, of which every second is a found word.
function marked(text, forms, all = spans(text, forms)) {
  const parts = [];
  let at = 0;
  for (const { from, to } of all) {
    parts.push(text.slice(at, from), text.slice(from, to));
    at = to;
  }
  return [...parts, text.slice(at)];
}

// passage returns the part of a text that has most of the found words, as marked does.
function passage(text, forms) {
  const all = spans(text, forms);
  let best = 0, most = 0;
  for (let i = 0; i < all.length; i++) {
    const seen = new Set();
    let n = 0;
    for (let j = i; j < all.length && all[j].to - all[i].from <= PASSAGE * 0.75; j++) {
      n += seen.has(all[j].unit) ? 1 : 100;
      seen.add(all[j].unit);
    }
    if (n > most) [best, most] = [i, n];
  }
  let from = all.length > 0 ? Math.max(0, all[best].from - PASSAGE / 4) : 0;
  if (from + PASSAGE > text.length) from = Math.max(0, text.length - PASSAGE);
  if (from > 0) {
    const space = text.indexOf(" ", from - 1);
    from = space >= 0 && space < from + PASSAGE / 4 ? space + 1 : from;
    if (all.length > 0) from = Math.min(from, all[best].from);
    if (/[\udc00-\udfff]/.test(text[from])) from--;
  }
  let to = Math.min(text.length, from + PASSAGE);
  if (to < text.length) {
    const space = text.lastIndexOf(" ", to);
    to = space > from + PASSAGE / 2 ? space : to;
    if (/[\udc00-\udfff]/.test(text[to])) to--;
  }
  const parts = marked(text.slice(from, to), forms);
  if (from > 0) parts[0] = `… ${parts[0]}`;
  if (to < text.length) parts[parts.length - 1] += " …";
  return parts;
}
