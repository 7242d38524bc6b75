import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const maxHops = 15;

const sectionOf = (heading: string): string =>
  text.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? assert.fail(`no section "${heading}"`);

interface Hop {
  readonly room: string;
  readonly files: readonly string[];
  /** It begins at the margin: a request, a change in the store, or the end of a wait. */
  readonly isCause: boolean;
}

/** A line of a drawing: `└─ room: a.ts ─► b.ts    note`. */
function hopOf(line: string): Hop {
  const [, margin = '', room = '', chain = ''] =
    /^([│├└─ ]*)([\w/-]+): (\S+\.ts(?: ─► \S+\.ts)*)/.exec(line) ?? assert.fail(`not a hop: ${line}`);
  return { room, files: chain.split(' ─► '), isCause: margin === '' };
}

const walks = sectionOf('Walks')
  .split(/^### /m)
  .slice(1)
  .map(walk => {
    const drawing = /```\n(.*?)\n```/s.exec(walk)?.[1] ?? assert.fail(`no drawing: ${walk}`);
    return { name: walk.slice(0, walk.indexOf('\n')), hops: drawing.split('\n').map(hopOf) };
  });

describe('the walks of ARCHITECTURE.md', () => {
  assert.equal(walks.length, 6);
  for (const { name, hops } of walks) {
    test(`${name}: names files that exist, in few hops`, () => {
      const paths = hops.flatMap(({ room, files }) => files.map(file => `${room}/${file}`));
      assert.deepEqual(
        paths.filter(path => !existsSync(join(root, path))),
        [],
      );
      assert.ok(hops.length <= maxHops, `${hops.length} hops`);
    });

    test(`${name}: enters no room twice on its way from one cause`, () => {
      let entered = new Set<string>();
      for (const { room, isCause } of hops) {
        if (isCause) entered = new Set();
        assert.ok(!entered.has(room), room);
        entered.add(room);
      }
    });
  }
});

test('the table of domains and rooms in ARCHITECTURE.md is true', () => {
  const lines = sectionOf('Domains and their rooms').split('\n');
  const start = lines.findIndex(line => line.startsWith('| domain |'));
  const cellsOf = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim().replaceAll('`', ''));
  const [, ...rooms] = cellsOf(lines[start] ?? '');
  const rows = lines.slice(start + 2, lines.indexOf('', start)).map(cellsOf);
  assert.equal(rows.length, 6);
  for (const [domain = '', ...cells] of rows) {
    const isThere = (path: string): boolean => existsSync(join(root, 'domains', domain, 'src', path));
    const actual = rooms.map((room, index) => {
      if (room === 'entry') return isThere(cells[index] ?? '') ? cells[index] : 'missing';
      return isThere(room) ? 'yes' : '–';
    });
    assert.deepEqual(cells, actual, domain);
  }
});
