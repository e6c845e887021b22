// Checks the links of the documents: each path leads to a file that git has, and each #fragment to a heading of it. URLs of
// this repository are read as paths; no host is asked.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const files = execFileSync("git", ["ls-files", "--", "README.md", "docs/*.md", ".github/*.md"], { encoding: "utf8" }).trim().split("\n").filter(existsSync);
const text = (file) => readFileSync(file, "utf8").replace(/^ *(```|~~~)[^]*?^ *\1/gm, "").replace(/<!--[^]*?-->/g, "");

// GitHub's names of headings: lower case, blanks as hyphens, without punctuation, and numbered where they repeat.
function fragments(file) {
  const seen = new Map();
  const names = new Set();
  for (const [, heading] of text(file).matchAll(/^#+ +(.*)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const name = plain.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replace(/ /g, "-");
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    names.add(count === 0 ? name : `${name}-${count}`);
  }
  return names;
}

let broken = 0;
for (const file of files) {
  const content = text(file);
  const links = [...content.matchAll(/\]\(([^)\s]+)[^)]*\)/g), ...content.matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
  for (const [, link] of links) {
    const target = link.replace(/^https:\/\/github\.com\/payctl\/payctl\/blob\/main\//, "/");
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [path, fragment] = target.split("#");
    const place = path === "" ? file : normalize(path.startsWith("/") ? path.slice(1) : join(dirname(file), path));
    const found = existsSync(place);
    if (!found || (fragment && statSync(place).isFile() && place.endsWith(".md") && !fragments(place).has(fragment))) {
      console.log(`${file}: ${link} leads nowhere`);
      broken++;
    }
  }
}
console.log(`${files.length} documents, ${broken} broken links`);
process.exitCode = broken > 0 ? 1 : 0;
