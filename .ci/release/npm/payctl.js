#!/usr/bin/env node
// Runs the program of this system, which npm installed as an optional dependency, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");

const platform = `@payctl/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${platform}/bin/payctl${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`✗ ${platform} is not installed. If payctl is released for this system, install it again without --omit=optional.
  Other ways to install it: https://github.com/payctl/payctl/blob/main/docs/INSTALL.md`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`✗ ${program} cannot be run: ${error.message}`);
  process.exit(1);
});

// A terminal interrupts both processes. To pass its signal on would be a second interrupt, which ends payctl without its
// cleaning up.
const handlers = {
  SIGINT: () => [0, 1, 2].some((stream) => isatty(stream)) || child.kill("SIGINT"),
  SIGTERM: () => child.kill("SIGTERM"),
  SIGHUP: () => child.kill("SIGHUP"),
};
for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);

child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
  process.kill(process.pid, signal);
});
