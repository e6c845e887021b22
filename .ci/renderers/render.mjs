// Shows the pages of this folder in a browser and reads what they show.
// Usage: node render.mjs BROWSER CONTRACT [picture FILE]
import {spawn} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const [browser, contract, task, file] = process.argv.slice(2);
const patience = 60_000; // milliseconds for a page; a page takes two seconds on a machine that does nothing else

// The operations of each tag, in the order of the document.
const {tags, paths} = JSON.parse(readFileSync(contract, "utf8"));
const operations = tags.map((tag) => Object.entries(paths).flatMap(([path, methods]) => Object.values(methods)
  .filter((operation) => operation.tags?.includes(tag.name))
  .map(({summary, description, "x-badges": [badge]}) =>
    ({path, summary, badge: badge.name, origin: description.trim().split("\n\n").at(-1)}))));

// What each page shows, one text behind the other: of an operation its name, its badge if the renderer has badges, and
// the end of its description, which is about its origin. Redoc 3 folds operations and lists up to eight of each tag.
const expectations = {
  "swagger-ui.html": operations.flat().flatMap(({summary, origin}) => [summary, origin]),
  "redoc.html": operations.flat().flatMap(({summary, badge, origin}) => [`${summary} ${badge}`, origin]),
  "redoc-3.html": operations.flatMap((all) => all.slice(0, 8)).flatMap(({path, badge}) => [`${path} ${badge}`]),
  "scalar.html": operations.flat().flatMap(({summary, badge, origin}) => [`${badge} ${summary}`, origin]),
};

const plain = (text) => text.replaceAll("`", "").replace(/\s+/g, " ").toLowerCase();

// firstMissing returns the first of the expected texts that a page does not show behind those before it.
function firstMissing(expected, shown) {
  let place = 0;
  return expected.find((text) => {
    const found = shown.indexOf(plain(text), place);
    place = found + plain(text).length;
    return found < 0;
  });
}

// A browser that is driven by the Chrome DevTools protocol through pipes: each message is JSON and ends with a zero
// byte. It ends with this process.
class Browser {
  #pending = new Map();
  #number = 0;

  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), "renderers-"));
    this.process = spawn(browser, [
      "--headless", "--remote-debugging-pipe", `--user-data-dir=${this.profile}`, "--no-sandbox", "--disable-gpu",
      "--disable-dev-shm-usage", "--no-first-run", "--disable-remote-fonts", "--hide-scrollbars",
      "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank",
    ], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.ended.then((code) => this.#fail(new Error(`the browser ended with code ${code}`)));
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (chunk) => {
      const messages = (rest + chunk).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.#receive(JSON.parse(message)));
    });
  }

  #receive({id, result, error}) {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    error ? call?.reject(new Error(error.message)) : call?.resolve(result);
  }

  #fail(error) {
    this.#pending.forEach((call) => call.reject(error));
  }

  send(method, params = {}, sessionId) {
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {resolve, reject});
      this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    });
  }

  // open shows a page of this folder in a tab of its own.
  async open(name, width, height) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const page = {
      send: (method, params) => this.send(method, params, sessionId),
      evaluate: async (expression) => {
        const {result, exceptionDetails} = await page.send("Runtime.evaluate", {expression, returnByValue: true});
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
      },
      close: () => this.send("Target.closeTarget", {targetId}),
    };
    await page.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false});
    await page.send("Page.navigate", {url: new URL(name, import.meta.url).href});
    return page;
  }

  async close() {
    await this.send("Browser.close");
    await this.ended;
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 20}); // children of the browser may still write
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 300));

async function check(session, name, expected) {
  // Renderers leave out what is far away, so the window is as high as the page.
  const page = await session.open(name, 1300, 60_000);
  const deadline = Date.now() + patience;
  let missing;
  do {
    await pause();
    missing = firstMissing(expected, plain(await page.evaluate("document.body?.innerText ?? ''")));
  } while (missing && Date.now() < deadline);
  if (missing) {
    throw new Error(`${name} does not show "${missing}", or not in the order of the document`);
  }
  console.log(`${await page.evaluate("document.title")} shows the operations in order and the origin of each`);
  await page.close();
}

// takePicture shows in Redoc 3, which has badges everywhere, where published operations meet assumed ones.
async function takePicture(session) {
  const page = await session.open("redoc-3.html#/transfers", 1250, 900);
  const deadline = Date.now() + patience;
  const shown = `(() => {
    const headings = [...document.querySelectorAll("h2")];
    headings.find(({textContent}) => textContent.startsWith("transfers"))?.scrollIntoView();
    return headings.some(({textContent}) => textContent.includes("published"));
  })()`;
  for (let before, data = null; ; before = data) {
    await pause();
    const complete = await page.evaluate(shown);
    ({data} = await page.send("Page.captureScreenshot", {format: "png"}));
    if (complete && data === before) { // nothing moves any more
      writeFileSync(file, Buffer.from(data, "base64"));
      return page.close();
    }
    if (Date.now() > deadline) throw new Error("Redoc does not show the operations of transfers");
  }
}

const session = new Browser();
try {
  if (task === "picture") {
    await takePicture(session);
  } else {
    for (const [name, expected] of Object.entries(expectations)) {
      await check(session, name, expected);
    }
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await session.close();
}
