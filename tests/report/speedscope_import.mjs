// Reads files with the importer of the npm package speedscope, and prints a line of JSON for each:
//   node speedscope_import.mjs BUNDLE FILE...     {"name", "unit", "total", "frames": [[name, file, self, total], ...]}
// The package has the importer only inside the bundle of its web page: this runs the bundle where there is no page, which
// is as far as it needs to go, and takes the importer out of it.
import fs from "node:fs";
import vm from "node:vm";

const [bundle, ...files] = process.argv.slice(2);
const text = fs.readFileSync(bundle, "utf8");
const importer = text.match(
  /async function (\w+)\((\w+),(\w+)\)\{return\(await \w+\)\.importProfilesFromArrayBuffer\(\2,\3\)\}/);
if (!importer) throw new Error("the bundle has no importer");

const anything = new Proxy(function () {}, {
  get: (target, key) => (key === Symbol.toPrimitive ? () => "" : key === "then" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});
const page = {
  console: { log() {}, warn() {}, error() {} },
  document: anything, location: anything, navigator: anything, localStorage: anything,
  HTMLCanvasElement: class {}, HTMLElement: class {}, Element: class {},
  addEventListener() {}, matchMedia: () => anything, requestAnimationFrame() {},
  ArrayBuffer, Uint8Array, TextDecoder, TextEncoder, URL, WebAssembly, atob, btoa, performance, setTimeout,
};
page.window = page.self = page.globalThis = page;
vm.createContext(page);
try {
  vm.runInContext(text.replace("(()=>{", `(()=>{globalThis.importFile=${importer[1]};`), page);
} catch {
  // there is nothing to draw on
}

for (const file of files) {
  const bytes = fs.readFileSync(file);
  const group = await page.importFile(file, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const profile = group.profiles[group.indexToView];
  const frames = [];
  profile.forEachFrame((f) => frames.push([f.name, f.file ?? null, f.getSelfWeight(), f.getTotalWeight()]));
  console.log(JSON.stringify(
    { name: group.name, unit: profile.getWeightUnit(), total: profile.getTotalWeight(), frames }));
}
