#!/usr/bin/env node
// Runs svc, which is in the package for this platform: npm installs that one of the optional
// dependencies whose "os" and "cpu" fit. Nothing is downloaded here.
'use strict'

const { spawn } = require('node:child_process')

const name = `@model-catalog-service/svc-${process.platform}-${process.arch}`
let program
try {
  program = require.resolve(`${name}/${process.platform === 'win32' ? 'svc.exe' : 'svc'}`)
} catch {
  console.error(`svc: the package ${name} is not installed. Either svc is not built for this platform,
or optional dependencies were left out: install without --omit=optional.`)
  process.exit(1)
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
child.on('error', (fault) => {
  console.error(`svc: ${fault.message}`)
  process.exit(1)
})
// A terminal sends SIGINT to svc as well, so it is not passed on: svc takes a second one to mean
// that it should stop at once.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
