"use strict";
// The page of the reference service, and the report of a run of it. It asks the service for everything by operations of the
// contract, and keeps only what is on the screen. What the service says becomes text nodes, never HTML.

const $ = (id) => document.getElementById(id);
const { kyc, transfers, run } = JSON.parse($("data").textContent);

const KEPT = 200; // rows of requests on the screen
const SOON = 100, LATER = 1000; // milliseconds between two looks: at the request log, and at what changes rarely

let token = ""; // of the link; it is sent to this service alone
let client = "";
let tab = "";
let open = ""; // the key of the row whose details are shown
let generation = 0; // counts clients: what belongs to an earlier one ends
let requests = run ? run.requests : [];
let last = 0; // the number of the latest request
let ask = 100; // how many requests the next look asks for

// el makes an element. Texts among its children become text nodes.
function el(name, props, ...children) {
  const node = Object.assign(document.createElement(name), props);
  node.append(...children.filter((child) => child != null));
  return node;
}

const later = (pause) => new Promise((resolve) => setTimeout(resolve, pause));
const button = (text, onclick, props) => el("button", { type: "button", onclick, ...props }, text);

// call calls an operation of the service. What it throws has the title and detail of a problem.
async function call(method, path, body, headers = {}) {
  headers.Authorization = "Bearer " + token;
  if (body) headers["Content-Type"] = "application/json";
  if (method === "POST") headers["Idempotency-Key"] = crypto.randomUUID();
  const send = () => fetch(path, {
    method, headers, body: body && JSON.stringify(body), cache: "no-store", credentials: "omit", redirect: "error",
  });
  // A browser ends requests when the network changes. Sending again is harmless: a POST has its key.
  const response = await send().catch(() => later(LATER).then(send))
    .catch(() => { throw { title: "The service does not answer." }; });
  if (response.status === 401) {
    throw { title: "The link is of an earlier run of the service: open the one that serve printed, or that payctl sandbox open prints." };
  }
  const answer = await response.json();
  if (!response.ok) throw answer;
  return answer;
}

function say(problem) {
  $("message").hidden = !problem;
  $("message").textContent = problem ? [problem.title, problem.detail].filter(Boolean).join(" ") : "";
}

// act runs what a person asked for, and shows what went wrong.
async function act(work) {
  try {
    say(null);
    await work();
  } catch (problem) {
    say(problem.title ? problem : { title: String(problem) });
  }
}

// repeat runs a step again and again while its client is shown. The step returns how long to wait.
async function repeat(step) {
  let failed = false;
  for (const mine = generation; mine === generation;) {
    let pause = LATER;
    try {
      if (!document.hidden) {
        pause = await step();
        if (failed) say(null);
        failed = false;
      }
    } catch (problem) {
      if (mine === generation) say(problem.title ? problem : { title: String(problem) });
      failed = true;
    }
    await later(pause);
  }
}

const time = (text) => (text || "").replace("T", " ").replace(/(\.\d{3})\d*/, "$1").replace("Z", "");

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function problemOf(r) {
  const body = r.status >= 400 ? parse(r.responseBody) : null;
  return body && typeof body.type === "string" ? body.type.split("/").pop() : r.fault || "";
}

const tone = (state) =>
  /^(approved|payment_processed)$/.test(state) ? "good" :
  /^(rejected|failed|returned|undeliverable|expired|canceled|refunded|offboarded|paused)$/.test(state) ? "bad" : "wait";

const statusTone = (status) => (status === 0 || status >= 400 ? "bad" : "good");
const money = (side) => (side.amount == null ? "?" : side.amount) + " " + side.currency;
const nameOf = (a) => a.legalName || [a.firstName, a.lastName].filter(Boolean).join(" ");

// The views. A column is a title, a function from a row to its text, and one to its classes or the classes.
const views = {
  requests: {
    title: "Requests", key: (r) => String(r.number), rows: async () => requests,
    empty: "No requests yet. What your program asks appears here; the view Start says how to log in.",
    columns: [
      ["#", (r) => r.number, "num medium"], ["Time", (r) => time(r.time).slice(11), "medium"], ["Method", (r) => r.method],
      ["Path", (r) => r.path + (r.query ? "?" + r.query : ""), "mono"], ["Operation", (r) => r.operation, "wide"],
      ["Status", (r) => r.status || "cut", (r) => "num " + statusTone(r.status)],
      ["ms", (r) => r.durationMs, "num wide"], ["Problem", problemOf, "medium"],
    ],
    detail: requestDetail,
  },
  accounts: {
    title: "Accounts", key: (a) => a.id, rows: async () => (await call("GET", "/accounts/v1?limit=100")).data,
    empty: "No accounts yet.",
    columns: [
      ["Name", nameOf], ["Identity check", (a) => a.kycStatus, (a) => tone(a.kycStatus)], ["E-mail", (a) => a.email, "medium"],
      ["Country", (a) => a.country, "wide"], ["Created", (a) => time(a.createdAt), "wide"], ["Account", (a) => a.id, "mono medium"],
    ],
    detail: accountDetail,
  },
  transfers: {
    title: "Transfers", key: (t) => t.id, rows: async () => (await call("GET", "/transfers/v1?limit=100")).data,
    empty: "No transfers yet.",
    columns: [
      ["Reference", (t) => t.reference || t.id], ["State", (t) => t.state, (t) => tone(t.state)],
      ["Sends", (t) => money(t.source), "num"], ["Delivers", (t) => money(t.destination), "num medium"],
      ["Route", (t) => t.route, "wide"], ["Changed", (t) => time(t.updatedAt), "wide"], ["Transfer", (t) => t.id, "mono wide"],
    ],
    detail: transferDetail,
  },
  start: { title: run ? "Run" : "Start", content: startContent },
  coverage: {
    title: "Coverage", key: (c) => c.name, rows: async () => coverageRows(), empty: "",
    columns: [["Operation", (c) => c.name], ["Requests", (c) => c.total, "num"], ["Answers", (c) => c.text, (c) => (c.total ? "" : "bad")]],
    detail: (c) => [fields([["Operation", c.name], ["Answers", c.text]])],
  },
  violations: {
    title: "Violations", key: (v) => String(v.index), rows: async () => run.coverage.violations.map((v, index) => ({ ...v, index })),
    empty: run && run.coverage.checked ? "No answer broke the contract." : "Answers were not held to the contract; serve --check does that.",
    columns: [["Operation", (v) => v.operation || v.path], ["Status", (v) => v.status, "num"], ["Where", (v) => v.place, "mono"],
      ["Why", (v) => v.reason, "medium"]],
    detail: (v) => [el("h2", {}, "A violation of the contract"), fields([["Operation", v.operation], ["Request", v.method + " " + v.path],
      ["Status", v.status], ["Where", v.place], ["Why", v.reason], ["Request id", v.requestId]])],
  },
};
const shown = run ? ["requests", "coverage", "violations", "start"] : ["requests", "accounts", "transfers", "start"];

function coverageRows() {
  const { operations, notCovered, notInContract } = run.coverage;
  const row = (name, statuses) => ({
    name, total: Object.values(statuses).reduce((sum, count) => sum + count, 0),
    text: Object.entries(statuses).map(([status, count]) => (status === "0" ? "cut" : status) + " × " + count).join(", "),
  });
  return [
    ...Object.entries(operations).map(([name, statuses]) => row(name, statuses)),
    ...(Object.keys(notInContract).length ? [row("not in the contract", notInContract)] : []),
    ...notCovered.map((name) => ({ name, total: 0, text: "never asked for" })),
  ];
}

const body = document.querySelector("tbody");

function rowOf(view, item) {
  const row = el("tr", { tabIndex: 0 });
  row.dataset.key = view.key(item);
  row.item = item;
  row.setAttribute("aria-selected", String(row.dataset.key === open));
  for (const [, text, classes] of view.columns) {
    const cell = el("td", { className: typeof classes === "function" ? classes(item) : classes || "" }, String(text(item) ?? ""));
    cell.title = cell.textContent;
    row.append(cell);
  }
  row.hidden = !matches(row);
  return row;
}

const matches = (row) => row.textContent.toLowerCase().includes($("filter").value.toLowerCase());

// fill shows the rows of the present view anew, and keeps the focus.
async function fill() {
  const name = tab, mine = generation, view = views[name];
  if (!view.rows) return;
  const items = await view.rows();
  if (name !== tab || mine !== generation) return;
  const focused = document.activeElement.dataset?.key;
  body.replaceChildren(...items.map((item) => rowOf(view, item)));
  [...body.children].find((row) => row.dataset.key === focused)?.focus();
  showEmpty();
}

function showEmpty() {
  $("empty").hidden = body.children.length > 0;
  $("empty").textContent = views[tab].empty || "";
}

// show shows the details of a row. Those of an account or transfer are read anew.
async function show(item, focus) {
  const view = views[tab], mine = generation, name = tab;
  open = view.key(item);
  const content = await view.detail(item);
  if (mine !== generation || name !== tab || open !== view.key(item)) return;
  $("detail").replaceChildren(button("Close", close, { className: "close" }), ...content);
  $("detail").hidden = false;
  document.querySelector("main").classList.add("open");
  for (const row of body.children) row.setAttribute("aria-selected", String(row.dataset.key === open));
  if (focus) $("detail").focus();
}

function close() {
  const row = [...body.children].find((r) => r.dataset.key === open);
  open = "";
  $("detail").hidden = true;
  document.querySelector("main").classList.remove("open");
  row?.setAttribute("aria-selected", "false");
  row?.focus();
}

function choose(name) {
  if (!views[name]) return;
  close();
  tab = name;
  $("filter").value = "";
  const view = views[name];
  for (const item of document.querySelectorAll("nav button")) {
    item.toggleAttribute("aria-current", item.dataset.tab === name);
  }
  $("list").hidden = !view.rows;
  $("start").hidden = Boolean(view.rows);
  if (view.content) {
    $("start").replaceChildren(...view.content());
    return;
  }
  const head = view.columns.map(([title, , classes]) =>
    el("th", { scope: "col", className: typeof classes === "string" ? classes.replace("mono", "") : title === "Status" ? "num" : "" }, title));
  document.querySelector("thead").replaceChildren(el("tr", {}, ...head));
  body.replaceChildren();
  act(fill);
}

function fields(pairs) {
  const known = pairs.filter(([, text]) => text != null && text !== "");
  return el("dl", {}, ...known.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text instanceof Node ? text : String(text))]));
}

function code(text) {
  const value = parse(text);
  return el("pre", { tabIndex: 0 }, value === null ? text : JSON.stringify(value, null, 2));
}

function requestDetail(r) {
  const problem = r.status >= 400 ? parse(r.responseBody) : null;
  const copied = el("pre", { hidden: true, tabIndex: 0 });
  const copy = (text) => act(async () => {
    copied.hidden = false;
    copied.textContent = text;
    await navigator.clipboard?.writeText(text).catch(() => {}); // without the permission the text can be selected
  });
  return [
    el("h2", { className: "mono" }, r.method + " " + r.path + (r.query ? "?" + r.query : "")),
    fields([["Status", el("span", { className: statusTone(r.status) }, String(r.status || "the connection was cut"))],
      ["Problem", problem && [problem.title, problem.detail].filter(Boolean).join(" ")], ["Operation", r.operation],
      ["Time", time(r.time)], ["Took", r.durationMs + " ms"], ["Fault", r.fault], ["Request id", r.requestId],
      ["Hash of its key", r.idempotencyKeyHash]]),
    el("div", { className: "actions" }, button("Copy as curl", () => copy(asCurl(r))), button("Copy as payctl", () => copy(asPayctl(r)))),
    copied,
    el("h3", {}, "Sent"), r.requestBody ? code(r.requestBody) : el("p", {}, "No body, or one that is not kept."),
    el("h3", {}, "Answered"), r.responseBody ? code(r.responseBody) : el("p", {}, "No body, or one that is not kept."),
    el("p", {}, el("small", {}, "Secrets are masked. The JSON of the latest 100 requests is kept, up to 4 KiB each.")),
  ];
}

// quote makes one word of a shell. What is no plain character is escaped, as a paste into a terminal could obey it.
const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
const plain = (text) => text.replace(/[^ -~]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const word = (text) => quote(plain(text));
const target = (r) => word(r.path.split("/").map(encodeURIComponent).join("/") + (r.query ? "?" + r.query : ""));

function asCurl(r) {
  const base = run ? '"$PAYCTL_BASE_URL"' : quote(location.origin);
  const words = ["curl", "-sS", "-X", word(r.method), base + target(r), "-H", '"Authorization: Bearer $(payctl auth token)"'];
  if (r.idempotencyKeyHash) words.push("-H", quote("Idempotency-Key: " + crypto.randomUUID()));
  if (r.requestBody) {
    const patch = r.method === "PATCH" && r.operation !== "selectRoutes";
    words.push("-H", quote("Content-Type: application/" + (patch ? "merge-patch+json" : "json")), "--data-raw", word(r.requestBody));
  }
  return words.join(" ");
}

function asPayctl(r) {
  const words = ["payctl", "api", ...(r.requestBody ? ["--input", "-"] : []), "--", word(r.method), target(r)].join(" ");
  return r.requestBody ? "printf %s " + word(r.requestBody) + " | " + words : words;
}

async function timeline(id) {
  const events = (await call("GET", "/events/v1?limit=100&subjectId=" + encodeURIComponent(id))).data;
  return el("ol", {}, ...events.map((e) =>
    el("li", {}, el("time", {}, time(e.occurredAt)), " ", e.to ? el("span", { className: tone(e.to) }, e.to) : e.type)));
}

// moves are buttons for the transitions that the state machine has from a state.
function moves(machine, state, item, move) {
  const next = machine[state] || [];
  if (next.length === 0) return [el("p", {}, "Nothing: this state is final.")];
  const reason = el("input", { placeholder: "Reason code (optional)", ariaLabel: "Reason code", maxLength: 100, autocomplete: "off" });
  return [
    el("div", { className: "actions" }, ...next.map((to) => button("→ " + to, () => act(async () => {
      await move(to, reason.value.trim());
      reason.blur();
      await Promise.all([fill(), show(item, true)]);
    })))),
    reason,
  ];
}

async function accountDetail({ id }) {
  const path = "/accounts/" + encodeURIComponent(id);
  const [account, check, history] = await Promise.all([call("GET", path + "/v1"), call("GET", path + "/kyc/v1"), timeline(id)]);
  const list = (of) => of.map((one) => one.message || one.name + ": " + one.status).join(" · ");
  return [
    el("h2", {}, nameOf(account)),
    fields([["Identity check", el("span", { className: tone(check.status) }, check.status)], ["Reasons", list(check.reasons)],
      ["Wanted", list(check.requirements)], ["Attempt", check.attempt], ["Expires", time(check.expiresAt)], ["E-mail", account.email],
      ["Country", account.country], ["Account", account.id]]),
    el("h3", {}, "What happened"), history,
    el("h3", {}, "What can come next"),
    ...moves(kyc, check.status, account, (status, reason) =>
      call("PUT", "/sandbox" + path + "/kyc/v1", reason ? { status, reasons: [reason] } : { status })),
  ];
}

async function transferDetail({ id }) {
  const path = "/transfers/" + encodeURIComponent(id);
  const [t, history] = await Promise.all([call("GET", path + "/v1"), timeline(id)]);
  return [
    el("h2", {}, t.reference || t.id),
    fields([["State", el("span", { className: tone(t.state) }, t.state)], ["Sends", money(t.source)], ["Delivers", money(t.destination)],
      ["Route", t.route], ["Failure", t.failureReason], ["Return code", t.returnCode], ["Refund", t.refund && t.refund.status],
      ["Settlement expected", time(t.expectedSettlementAt)], ["Batch", t.batchId], ["Contact", t.destinationSavedContactId],
      ["Account", t.accountId], ["Transfer", t.id]]),
    el("h3", {}, "What happened"), history,
    el("h3", {}, "What can come next"),
    ...moves(transfers, t.state, t, (state, reason) => call("PUT", "/sandbox" + path + "/state/v1", reason ? { state, reason } : { state })),
  ];
}

function startContent() {
  const link = (path) => el("a", { href: path, target: "_blank", rel: "noreferrer noopener" }, location.origin + path);
  if (run) {
    return [el("h2", {}, "A run of payctl serve"), fields([["Version", run.version], ["Requests", run.coverage.requests],
      ["Refused", Object.entries(run.coverage.refused).map(([kind, count]) => kind + " × " + count).join(", ")],
      ["Faults", Object.entries(run.coverage.faults).map(([rule, count]) => rule + " × " + count).join(", ")],
      ["Violations", run.coverage.violationCount]])];
  }
  return [
    el("h2", {}, "The service"), fields([["Address", location.origin], ["Contract", link("/openapi.yaml")], ["As JSON", link("/openapi.json")]]),
    el("h3", {}, "Log in with payctl"),
    el("pre", { tabIndex: 0 }, "payctl auth login --base-url " + quote(location.origin) + " --client-id " + word(client)),
    el("h3", {}, "Get a token without payctl"),
    el("pre", { tabIndex: 0 }, "curl -sS -X POST -u " + word(client) + " " + quote(location.origin + "/identity/auth/tokens/current/v1")),
    el("p", {}, "serve says the secret of its client, unless it came from a file or the environment."),
  ];
}

// lookAtRequests shows the requests that came since the last look.
async function lookAtRequests() {
  const mine = generation;
  const read = async (limit) => (await call("GET", "/sandbox/requests/v1?limit=" + limit)).data;
  let found = await read(ask);
  const newest = found.length ? found[0].number : 0;
  const flood = newest - last > 100; // nobody reads that fast: the page shows a few, and takes the service no time
  if (newest - last > ask && !flood) found = await read(Math.min(100, newest - last + 20)); // and what has come since
  if (mine !== generation) return SOON;
  if (newest < last) { // the log was emptied, or the world was reset
    last = 0;
    requests = [];
    if (tab === "requests") body.replaceChildren();
  }
  const fresh = found.filter((r) => r.number > last);
  ask = flood ? 25 : Math.min(100, fresh.length * 2 + 1);
  if (fresh.length > 0) {
    last = fresh[0].number;
    requests = [...fresh, ...requests].slice(0, KEPT);
    if (tab === "requests") {
      body.prepend(...fresh.map((r) => rowOf(views.requests, r)));
      while (body.children.length > KEPT) body.lastChild.remove();
    }
  }
  if (tab === "requests") showEmpty();
  return flood ? LATER : SOON;
}

async function lookAtClock() {
  const clock = await call("GET", "/sandbox/clock/v1");
  $("now").textContent = time(clock.now).slice(0, 19);
  $("pace").textContent = "UTC, " + (clock.mode === "scaled" ? clock.scale + "×" : clock.mode);
  return LATER;
}

async function lookAtClients() {
  const { pages } = await call("GET", "/sandbox/pages/v1");
  client = pages[0].clientId;
  const options = pages.map((p) => el("option", { value: new URL(p.url).hash.slice(1), selected: p.clientId === client }, p.clientId));
  if (options.length !== $("client").options.length) $("client").replaceChildren(...options);
  return 5 * LATER;
}

// followEvents shows accounts and transfers anew when something happened to one.
async function followEvents(feed) {
  if (tab !== "accounts" && tab !== "transfers") {
    feed.cursor = "latest";
    return LATER;
  }
  const begins = feed.cursor === "latest"; // what happened since the rows were read is not in the feed
  const query = "/events/v1?limit=100&after=" + encodeURIComponent(feed.cursor);
  const page = await call("GET", query, null, begins ? {} : { Prefer: "wait=25" }).catch((problem) => {
    feed.cursor = "latest"; // the world was reset, and its feed with it
    throw problem.status === 410 ? { title: "The sandbox was reset." } : problem;
  });
  feed.cursor = page.cursor;
  if (begins || page.data.length > 0) {
    await fill();
    const row = [...body.children].find((r) => r.dataset.key === open);
    if (row && !$("detail").contains(document.activeElement)) await show(row.item);
  }
  return 500;
}

// enter shows the world of the client that a token is for.
function enter(of) {
  generation++;
  token = of;
  sessionStorage.setItem("token", token); // a page that is loaded anew goes on
  [requests, last, ask] = [[], 0, 100];
  $("client").replaceChildren();
  choose(tab || "requests");
  const feed = { cursor: "latest" };
  for (const step of [lookAtRequests, lookAtClock, lookAtClients, () => followEvents(feed)]) repeat(step);
}

for (const name of shown) {
  const item = button(views[name].title, () => choose(name));
  item.dataset.tab = name;
  document.querySelector("nav").append(item);
}
body.addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) act(() => show(row.item));
});
$("filter").addEventListener("input", () => { for (const row of body.children) row.hidden = !matches(row); });
$("client").addEventListener("change", () => enter($("client").value));
for (const item of document.querySelectorAll("[data-advance]")) {
  item.addEventListener("click", () => act(async () => {
    await call("POST", "/sandbox/clock/advance/v1", { duration: item.dataset.advance });
    await lookAtClock();
  }));
}
$("reset").addEventListener("click", () => {
  const item = $("reset");
  if (item.dataset.asked) act(async () => { await call("POST", "/sandbox/reset/v1"); close(); await fill(); });
  item.dataset.asked = item.dataset.asked ? "" : "yes";
  item.textContent = item.dataset.asked ? "Delete everything: sure?" : "Reset the sandbox";
  if (item.dataset.asked) setTimeout(() => { item.dataset.asked = ""; item.textContent = "Reset the sandbox"; }, 5 * LATER);
});
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT)$/.test(document.activeElement.tagName);
  if (event.ctrlKey || event.altKey || event.metaKey || typing && event.key !== "Escape") return;
  const rows = [...body.children].filter((row) => !row.hidden);
  const at = rows.indexOf(document.activeElement);
  const focus = (row) => { event.preventDefault(); row?.focus(); };
  if (event.key === "Escape") typing ? document.activeElement.blur() : close();
  else if (event.key === "/") focus($("filter"));
  else if (/^[1-4]$/.test(event.key)) choose(shown[event.key - 1]);
  else if (event.key === "ArrowDown" || event.key === "j") focus(rows[Math.min(at + 1, rows.length - 1)]);
  else if (event.key === "ArrowUp" || event.key === "k") focus(rows[Math.max(at - 1, 0)]);
  else if (event.key === "Enter" && at >= 0) act(() => show(rows[at].item, true));
});

if (run) {
  document.documentElement.classList.add("frozen");
  $("title").textContent = "report of a run";
  choose("requests");
} else {
  // The token leaves the address bar, and so the history and what a person copies from there.
  const given = location.hash.slice(1) || sessionStorage.getItem("token") || "";
  history.replaceState(null, "", "/");
  if (given) enter(given);
  else {
    choose("start");
    say({ title: "Open the link that serve printed, or that payctl sandbox open prints: it has the token of this page." });
  }
}
