// Parses the completion script and the examples in the documents with a grammar of PowerShell.
// Usage: node check.mjs SCRIPT DOCUMENT…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(createRequire(import.meta.url).resolve("tree-sitter-powershell/tree-sitter-powershell.wasm")));

// mistakes lists the lines of a text that the grammar does not accept.
function mistakes(text) {
  const found = [];
  const visit = (node) => {
    if (node.isError || node.isMissing) {
      found.push(`line ${node.startPosition.row + 1}: ${JSON.stringify(node.text.slice(0, 80))}`);
    } else if (node.hasError) {
      node.children.forEach(visit);
    }
  };
  const tree = parser.parse(text);
  visit(tree.rootNode);
  tree.delete();
  return found;
}

let failed = false;
const check = (name, text) => {
  for (const mistake of mistakes(text)) {
    console.error(`${name}: ${mistake}`);
    failed = true;
  }
};

for (const wrong of ["if ($a { 'b' }", "function a { 'b'", "$a = @{ b = }", "foreach ($a of $b) {}"]) {
  if (mistakes(wrong).length === 0) {
    throw new Error(`the grammar accepts ${wrong}`);
  }
}
const [script, ...documents] = process.argv.slice(2);
check(script, readFileSync(script, "utf8"));
let examples = 0;
for (const name of documents) {
  for (const [, text] of readFileSync(name, "utf8").matchAll(/^```powershell\n(.*?)^```$/gms)) {
    check(`${name}, example ${++examples}`, text);
  }
}
console.log(`${script} and ${examples} examples are PowerShell`);
process.exit(failed || examples === 0 ? 1 : 0);
