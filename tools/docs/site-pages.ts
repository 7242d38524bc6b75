import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomKind, KindDeclaration } from '@chandlery/api';
import * as brokers from '@chandlery/brokers/kinds';
import * as clusters from '@chandlery/clusters/kinds';
import * as fleet from '@chandlery/fleet/kinds';
import * as mesh from '@chandlery/mesh/kinds';
import * as orders from '@chandlery/orders/kinds';
import * as providers from '@chandlery/providers/kinds';
import { navigation } from './navigation.ts';
import { commandsPage, errorsPage, kindPages, settingsPage } from './reference-pages.ts';

const docs = join(import.meta.dirname, '../../docs');

/** All pages of the site, and its configuration, by path. */
export function sitePages(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const name of markdownIn(docs)) pages.set(name, sitePage(readFileSync(join(docs, name), 'utf8'), ''));
  for (const name of markdownIn(join(docs, 'decisions')))
    pages.set(`decisions/${name}`, sitePage(readFileSync(join(docs, 'decisions', name), 'utf8'), 'decisions/'));
  pages.set('index.md', sitePage(introduction(), ''));
  pages.set('reference/commands.md', commandsPage());
  pages.set('reference/settings.md', settingsPage());
  pages.set('reference/errors.md', errorsPage());
  for (const [path, text] of kindPages(kindsByDomain())) pages.set(path, text);
  pages.set('.vitepress/config.mjs', `export default ${JSON.stringify(configuration(pages), null, 2)};\n`);
  return pages;
}

/** The pictures of the pages, by path. */
export const sitePictures = (): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(join(docs, 'pictures')).map(name => [`pictures/${name}`, readFileSync(join(docs, 'pictures', name))]),
  );

const markdownIn = (folder: string): readonly string[] => readdirSync(folder).filter(name => name.endsWith('.md'));

/** The README down to its first steps; its links are relative to the root. */
function introduction(): string {
  const [text = ''] = readFileSync(join(docs, '../README.md'), 'utf8').split(/^## Running it/m);
  return text.replaceAll('](docs/', '](');
}

/** The generator takes two braces outside of blocks of code for an expression. */
const inertBraces = '{\u200b{';

/** A page of the repository as one of the site: links to other files become their paths. */
function sitePage(text: string, folder: string): string {
  return text
    .split(/(^[ \t]*```[\s\S]*?^[ \t]*```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('{{', inertBraces)))
    .join('')
    .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label: string, target: string) =>
      staysInSite(target, folder) ? link : `${label} (\`${target.replace(/^(\.\.\/)+/, '')}\`)`,
    );
}

function staysInSite(target: string, folder: string): boolean {
  if (/^(https?:|#)/.test(target)) return true;
  const inDocs = folder === '' ? !target.startsWith('..') : !target.startsWith('../..');
  return (
    inDocs &&
    /\.(md|svg|png)(#.*)?$/.test(target) &&
    !target.includes('README.md#') &&
    !/^(packages|domains|apps|examples|deploy)\//.test(target)
  );
}

type KindModule = Readonly<Record<string, unknown>>;

const kindsByDomain = (): Readonly<Record<string, readonly KindDeclaration[]>> => ({
  'Clusters and local workloads': kindsOf(clusters),
  'Providers and tenants': kindsOf(providers),
  'Service manager': kindsOf(brokers),
  Mesh: kindsOf(mesh),
  Fleet: kindsOf(fleet),
  'Services and orders': kindsOf(orders),
});

/** What a module of kinds declares, whether kind by kind, in a list or in a map. */
function kindsOf(module: KindModule): readonly KindDeclaration[] {
  const found = new Map<string, KindDeclaration>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 2) return;
    const { declaration } = value as Partial<CustomKind>;
    if (declaration !== undefined) found.set(`${declaration.plural}.${declaration.group}`, declaration);
    else if (isDeclaration(value)) found.set(`${value.plural}.${value.group}`, value);
    else for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  for (const value of Object.values(module)) visit(value, 0);
  return [...found.values()].sort((one, other) => (one.kind < other.kind ? -1 : 1));
}

const isDeclaration = (value: object): value is KindDeclaration =>
  'plural' in value && 'versions' in value && Array.isArray(value.versions);

/** Only pages that exist are in the side bar. */
function configuration(pages: ReadonlyMap<string, string>): object {
  const sidebar = navigation.map(({ text, items }) => ({
    text,
    collapsed: false,
    items: items.filter(({ link }) => pages.has(`${link.slice(1)}.md`)),
  }));
  return {
    title: 'Chandlery',
    description: 'One control plane for offering managed services to tenants across a fleet of clusters',
    markdown: { html: false },
    cleanUrls: false,
    themeConfig: {
      sidebar: sidebar.filter(({ items }) => items.length > 0),
      search: { provider: 'local' },
      outline: [2, 3],
    },
  };
}
