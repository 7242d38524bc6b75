// `npm run docs [-- --pages-only]`: builds the documentation site into `docs/site/dist`. Pages are those of `docs/` and
// reference pages made from the declarations of kinds, commands, settings and errors. The generator is installed on demand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { sitePages, sitePictures } from './docs/site-pages.ts';

const { values } = parseArgs({ options: { 'pages-only': { type: 'boolean', default: false } } });
const site = join(import.meta.dirname, '../docs/site');
const pages = join(site, 'pages');

rmSync(pages, { recursive: true, force: true });
for (const [path, content] of [...sitePages(), ...sitePictures()]) {
  mkdirSync(dirname(join(pages, path)), { recursive: true });
  writeFileSync(join(pages, path), content);
}
console.log(`pages are in ${pages}`);
if (!values['pages-only']) {
  if (!existsSync(join(site, 'node_modules'))) {
    console.log('installing the generator, once');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: site, stdio: 'inherit' });
  }
  execFileSync('npm', ['run', 'build'], { cwd: site, stdio: 'inherit' });
  console.log(`the site is in ${join(site, 'dist')}: open it with any web server`);
}
