// What the reader needs of a browser, and what package answer calls.
"use strict";

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SIXES = new Uint8Array(128);
for (let i = 0; i < 64; i++) SIXES[BASE64.charCodeAt(i)] = i;

function unpacked(name) {
  const text = readFile(name), end = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0, bytes = new Uint8Array((text.length / 4) * 3 - end);
  for (let i = 0, at = 0; i < text.length; i += 4) {
    const n = (SIXES[text.charCodeAt(i)] << 18) | (SIXES[text.charCodeAt(i + 1)] << 12) | (SIXES[text.charCodeAt(i + 2)] << 6) | SIXES[text.charCodeAt(i + 3)];
    for (let shift = 16; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = n >> shift;
  }
  return bytes;
}

class TextDecoder {
  decode(bytes) {
    const parts = [];
    let codes = [];
    for (let i = 0; i < bytes.length;) {
      const b = bytes[i++];
      let n = b < 0x80 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3, code = n === 0 ? b : b & (0x3f >> n);
      for (; n > 0; n--) code = (code << 6) | (bytes[i++] & 0x3f);
      codes.push(code);
      if (codes.length < 4096) continue;
      parts.push(String.fromCodePoint(...codes));
      codes = [];
    }
    parts.push(String.fromCodePoint(...codes));
    return parts.join("");
  }
}

function run(steps) {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.map(unpacked));
  return step.value;
}

let reader;

function open() { reader = run(Reader.open()); }

function search(typed, k) { return JSON.stringify(run(reader.search(typed, k))); }

function listed(text) { return JSON.stringify(words(text).flatMap(({ form, parts }) => [form, ...parts])); }
