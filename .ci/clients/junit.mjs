// Reads reports in the form of JUnit as CI systems do. The second one has one failure.
// Usage: node junit.mjs PASSED FAILED
import { readFile } from "node:fs/promises";
import { parse } from "junit2json";

for (const [index, file] of process.argv.slice(2).entries()) {
  const { testsuite: [suite] } = await parse(await readFile(file, "utf8"));
  const cases = suite.testcase ?? [];
  const failed = cases.filter((test) => test.failure?.[0].message);
  const named = new Set(cases.map((test) => test.classname + test.name));
  const counted = [suite.tests, named.size, suite.failures, failed.length];
  if (String(counted) !== String([cases.length, cases.length, index, index])) {
    throw new Error(`${file} counts ${counted}, but the cases are ${JSON.stringify(cases)}`);
  }
  console.log(`ok    ${file}: ${suite.tests} cases, ${suite.failures} failed`);
}
