// See .ci/browser. Usage: node site.mjs DIR
// The search page of adapters/site, at the widths of a phone and of a desk, in light and dark: by axe-core, by keys, by touch, and without scripts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const work = process.argv[2];
const axe = readFileSync(join(work, "node_modules/axe-core/axe.min.js"), "utf8");
const widths = [390, 1280], schemes = ["light", "dark"];

// A shop whose values are what people write, and what attackers do.
const brands = ["Acme & Söhne", 'Cotton "Club"', "two\nlines", "<b>bold</b>", "is.brand=x&from=1", ...Array.from({ length: 5 }, (_, i) => "Brand " + i)];
const kinds = ["shoes", "shorts", "gloves", "an-identifier-that-is-wide".repeat(4)];
writeFileSync(join(work, "shop.jsonl"), Array.from({ length: 140 }, (_, i) => JSON.stringify({
  id: "item-" + i, title: i === 7 ? "<img src=x onerror='hacked = 1'>" : `${["red", "green"][i % 2]} ${kinds[i % 4]} ${i}`,
  text: `Made for gardening. <script>hacked = 1</script> Number ${i}.`, brand: brands[i % brands.length], price: i / 2, added: new Date(Date.UTC(2024, 0, 1 + i)), url: i % 2 ? "" : "javascript:hacked=1",
}) + "\n").join(""));

async function start(...args) {
  const child = spawn(join(work, "pinion-site"), ["--listen", "localhost:0", "--no-token", ...args], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return { address: String(line).trim() + "/", stop: () => child.kill("SIGINT") };
}
const shop = await start("--title", "Shop", "--field", "title", "--field", "text", "--field", "brand:keyword:column", "--field", "price:float:column", "--field", "added:time:column", "--field", "url:keyword", "shop.idx", "shop.jsonl");
const docs = await start("--title", "Documents", "docs.idx", process.cwd() + "/docs");

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"], protocolTimeout: 120_000 });

// open returns a page of a width. Whatever is logged as an error, blocked or not found fails the run.
const faults = [];
async function open(width, { scheme = "light", csp = true } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warn") faults.push(m.text()); });
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("requestfailed", (r) => { if (r.failure()?.errorText !== "net::ERR_ABORTED") faults.push(r.url() + ": " + r.failure()?.errorText); });
  page.on("response", (r) => { if (r.status() >= 400) faults.push(r.url() + ": " + r.status()); });
  await page.setBypassCSP(!csp); // which forbids axe-core
  await page.setViewport({ width, height: 844, isMobile: width < 500, hasTouch: width < 500 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  return page;
}

const main = (page) => page.$eval("main", (e) => e.innerText);
const shown = (page, selector) => page.$eval(selector, (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0);
const active = (page) => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);
const chips = (page) => page.$$eval(".chip", (all) => all.map((e) => e.childNodes[1].textContent.trim()));
const goes = (page, act) => Promise.all([page.waitForNavigation(), act()]);
const linked = (page, text) => page.$$eval("a", (all, text) => all.findIndex((a) => a.innerText.replace(/^✓ /, "").startsWith(text)), text)
  .then(async (i) => (assert.ok(i >= 0, "no link " + text), (await page.$$("a"))[i]));

// clean checks that nothing is outside of the window, and what axe-core does.
async function clean(page, name) {
  const out = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("body *")].filter((e) => {
      const r = e.getBoundingClientRect();
      return r.width > 1 && e.checkVisibility() && (r.right > width + 0.5 || r.left < -0.5);
    });
    return [document.documentElement.scrollWidth - width, ...wide.map((e) => e.outerHTML.slice(0, 80))];
  });
  assert.deepEqual(out, [0], name + " is wider than the window");
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 120))]), [], name);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined, name);
}

const paths = ["", "?q=red+shoes", "?q=red&is.brand=two%0Alines&is.brand=%3Cb%3Ebold%3C%2Fb%3E&sort=-price", "?q=gardenig", "?q=%2Bshoes+%2Bzzzzz&is.brand=Brand+1", "?q=*&from=70", "doc?id=item-7"];

// looks checks all kinds of pages, the open drawer and the open list of suggestions.
async function looks() {
  for (const width of widths) {
    for (const scheme of schemes) {
      const page = await open(width, { scheme, csp: false });
      for (const path of paths) {
        await page.goto(shop.address + path);
        const name = `${path} at ${width}, ${scheme}`;
        await clean(page, name);
        const box = await page.$eval(".search", (e) => e.getBoundingClientRect().width);
        assert.ok(width > 500 ? box > 500 : box >= width - 40, `${name}: the box is ${box} wide`);
        if (await page.$(".facets")) {
          assert.equal(await shown(page, ".facets"), width > 500, name + ": the sidebar");
          assert.equal(await shown(page, "button.filters"), width < 500, name + ": the button of the drawer");
        }
      }
      await page.goto(shop.address + "?q=red");
      await page.click("summary");
      await clean(page, `the menu at ${width}, ${scheme}`);
      await page.keyboard.press("Escape");
      assert.match(await active(page), /^Sort: best first/);
      if (width < 500) {
        await page.click("button.filters");
        assert.ok(await shown(page, ".facets"));
        await clean(page, `the drawer, ${scheme}`);
        assert.equal(await page.$eval(".facets", (e) => getComputedStyle(e).animationName), "none");
        await page.keyboard.press("Escape");
        assert.ok(!await shown(page, ".facets"));
        assert.match(await active(page), /^Filters/);
      }
      await page.goto(docs.address);
      await page.type("#q", "serach");
      await page.waitForSelector("[role=option]");
      await page.keyboard.press("ArrowDown");
      await clean(page, `suggestions at ${width}, ${scheme}`);
      await page.close();
    }
  }
  console.log(`site: ${paths.length} pages, menu, drawer and suggestions at ${widths.join(" and ")} pixels, light and dark, by axe-core`);
}

// suggestions checks the box by keys, by mouse or touch, and with answers that come late.
async function suggestions(width) {
  const page = await open(width);
  await page.goto(docs.address);
  const attribute = (name) => page.$eval("#q", (e, name) => e.getAttribute(name), name);
  const value = () => page.$eval("#q", (e) => e.value);
  const options = () => page.$$eval("[role=option]", (all) => all.map((e) => e.dataset.text));
  assert.equal(await attribute("role"), "combobox");
  assert.equal(await attribute("aria-expanded"), "false");
  await page.type("#q", "indxe bloc");
  await page.waitForSelector("#suggestions:not([hidden])");
  assert.equal(await attribute("aria-expanded"), "true");
  assert.ok((await options()).includes("index blocks"), String(await options()));
  const all = await options();
  await page.keyboard.press("ArrowDown");
  const chosen = () => page.$eval("[aria-selected=true]", (e) => [e.id, e.dataset.text]);
  assert.deepEqual(await chosen(), [await attribute("aria-activedescendant"), all[0]]);
  await page.keyboard.press("ArrowUp");
  assert.equal(await attribute("aria-activedescendant"), null);
  await page.keyboard.press("ArrowUp");
  assert.equal((await chosen())[1], all.at(-1));
  await page.keyboard.press("Escape");
  assert.equal(await attribute("aria-expanded"), "false");
  assert.equal(await value(), "indxe bloc");
  await page.keyboard.press("ArrowDown"); // opens it again
  await page.waitForSelector("#suggestions:not([hidden])");
  await page.keyboard.press("ArrowDown");
  await goes(page, () => page.keyboard.press("Enter"));
  assert.equal(new URL(page.url()).searchParams.get("q"), all[0]);
  await page.goBack();
  await page.$eval("#q", (e) => { e.value = ""; });
  await page.type("#q", "comple");
  await page.waitForSelector("[role=option]");
  const [first] = await options();
  await goes(page, () => width < 500 ? page.tap("[role=option]") : page.click("[role=option]"));
  assert.equal(new URL(page.url()).searchParams.get("q"), first);

  // Enter without a choice searches for what was typed.
  await page.goto(docs.address);
  await page.type("#q", "serach");
  await page.waitForSelector("[role=option]");
  await goes(page, () => page.keyboard.press("Enter"));
  assert.equal(new URL(page.url()).searchParams.get("q"), "serach");
  assert.match(await main(page), /Did you mean search\?/);
  await goes(page, async () => (await linked(page, "search")).click());
  assert.doesNotMatch(await main(page), /Did you mean/);

  // Keys within the pause are one request. A request that is overtaken is aborted, and its answer never shown.
  await page.goto(docs.address);
  const asked = [], aborted = [];
  const of = (r) => r.url().includes("/suggest?") && new URL(r.url()).searchParams.get("q");
  await page.setRequestInterception(true);
  page.on("request", async (r) => {
    if (!of(r)) return r.continue();
    if (asked.push(of(r)) === 1) await new Promise((done) => setTimeout(done, 1500));
    await r.continue().catch(() => {}); // aborted
  });
  page.on("requestfailed", (r) => { if (of(r)) aborted.push(of(r)); });
  await page.type("#q", "com");
  while (asked.length < 1) await new Promise((done) => setTimeout(done, 20));
  await page.type("#q", "pletio");
  await page.waitForSelector("[role=option]");
  await new Promise((done) => setTimeout(done, 2000)); // the first answer would be there
  assert.ok((await options()).every((o) => o.startsWith("completio")), String(await options()));
  assert.ok(asked.length < "completio".length, `each key asks: ${asked}`);
  assert.equal(aborted[0], asked[0], "an overtaken request is aborted");
  await page.close();
}

// addresses checks that the address says all: filters, order, pages, the form, and the back button.
async function addresses(width) {
  const page = await open(width);
  const narrow = async (text) => {
    if (width < 500) await page.click("button.filters");
    await goes(page, async () => (await linked(page, text)).click());
  };
  await page.goto(shop.address + "?q=gardening");
  await narrow("two");
  assert.deepEqual(await chips(page), ["brand: two\nlines"]);
  const one = page.url(), total = await page.$eval("h1", (e) => e.innerText);
  assert.match(total, /^14 documents/);
  await narrow("<b>bold");
  assert.equal((await chips(page)).length, 2);
  assert.match(await main(page), /28 documents/);
  await page.click("summary");
  await goes(page, async () => (await linked(page, "price, high to low")).click());
  assert.match(page.url(), /sort=-price/);
  await goes(page, async () => (await linked(page, "Next")).click());
  assert.match(page.url(), /from=10/);
  const all = page.url();
  await page.$eval("#q", (e) => { e.value = "number"; });
  await goes(page, () => page.click(".search button"));
  assert.equal((await chips(page)).length, 2, "the form keeps filters, also of several lines");
  assert.match(await page.$eval("summary", (e) => e.innerText), /price, high to low/);
  await page.goBack();
  assert.equal(page.url(), all);
  await goes(page, () => page.click(".chip"));
  assert.equal((await chips(page)).length, 1);
  await goes(page, () => page.click(".clear"));
  assert.deepEqual(await chips(page), []);
  await page.goto(one); // a deep link
  assert.equal(await page.$eval("h1", (e) => e.innerText), total);
  await page.close();
}

// keys checks the order of the focus, and that it can be seen.
async function keys(width) {
  const page = await open(width);
  await page.goto(shop.address + "?q=red&is.brand=Brand+1");
  const order = [];
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    order.push(await active(page));
    const seen = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== "none" && document.activeElement.checkVisibility());
    assert.ok(seen, "the focus cannot be seen on " + order.at(-1));
  }
  assert.deepEqual(order.slice(0, 4), ["Skip to the content", "Shop", "q", "Search"]);
  await page.goto(shop.address + "?q=red");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.close();
}

// scriptless checks that the page works without its script.
async function scriptless(width) {
  const page = await open(width);
  await page.setJavaScriptEnabled(false);
  await page.goto(shop.address);
  await page.type("#q", "shoes");
  await goes(page, () => page.keyboard.press("Enter"));
  assert.match(await main(page), /documents for shoes/);
  if (width < 500) await page.click("button.filters");
  await goes(page, async () => (await linked(page, "Brand 1")).click());
  assert.deepEqual(await chips(page), ["brand: Brand 1"]);
  await page.click("summary");
  await goes(page, async () => (await linked(page, "price, low to high")).click());
  assert.match(page.url(), /sort=price/);
  await page.close();
}

try {
  await looks();
  for (const width of widths) for (const check of [suggestions, addresses, keys, scriptless]) await check(width);
  assert.deepEqual(faults, []);
  console.log("site: keys, touch, late answers, addresses, the back button, and without scripts");
} finally {
  await browser.close();
  for (const s of [shop, docs]) s.stop();
}
