// Reads reports in the form of JUnit as CI systems do: node junit.mjs PASSED FAILED, of which the second has one failure.
import { readFile } from "node:fs/promises";
import { parse } from "junit2json";

for (const [index, file] of process.argv.slice(2).entries()) {
  const { testsuite: [suite] } = await parse(await readFile(file, "utf8"));
  const cases = suite.testcase ?? [];
  const failed = cases.filter((test) => test.failure?.[0].message);
  const named = new Set(cases.map((test) => test.classname + test.name));
  if (suite.tests !== cases.length || named.size !== cases.length || suite.failures !== failed.length || failed.length !== index) {
    throw new Error(`${file} has ${suite.tests} tests and ${suite.failures} failures, but the cases are ${JSON.stringify(cases)}`);
  }
  console.log(`ok    ${file}: ${suite.tests} cases, ${suite.failures} failed`);
}
