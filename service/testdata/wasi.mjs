// Runs a program for WASI preview 1, with the files of this machine: node wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from 'node:fs/promises'
import { argv, cwd } from 'node:process'
import { WASI } from 'node:wasi'

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), env: { PWD: cwd() }, preopens: { '/': '/' } })
const { instance } = await WebAssembly.instantiate(await readFile(argv[2]), wasi.getImportObject())
wasi.start(instance)
