import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@chandlery/api';
import { formatYaml, parseYamlDocuments } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';

const pathOf = (url: URL): string => fileURLToPath(url);
const example = pathOf(new URL('../../../../examples/providers/postgres', import.meta.url));
const service = pathOf(new URL('../../../../examples/first-minute/hello.yaml', import.meta.url));

/** The programs that stand for the example's images on this machine. */
const programs: Readonly<Record<string, string>> = {
  'postgres-provider': pathOf(new URL('../../../../examples/providers/postgres/main.ts', import.meta.url)),
  postgres: pathOf(new URL('../../../../examples/providers/postgres/server.ts', import.meta.url)),
};

/** The files that the demonstration uses. */
export interface DemoFiles {
  /** The folder of the provider. */
  readonly provider: string;
  /** What the tenant orders. */
  readonly database: string;
  /** A service that is executed for each order. */
  readonly service: string;
}

/** Writes the example provider of databases into a folder, for a server that was started anywhere. */
export function writeDemoFiles(folder: string): DemoFiles {
  const provider = join(folder, 'postgres');
  mkdirSync(provider);
  const install = read('install.yaml').map(object => (object.kind === hostImages.kind ? locate(object) : object));
  writeFileSync(join(provider, 'install.yaml'), install.map(formatYaml).join('---\n'));
  for (const file of ['config.yaml', 'database.yaml'])
    writeFileSync(join(provider, file), readFileSync(join(example, file)));
  return { provider, database: join(provider, 'database.yaml'), service };
}

const read = (file: string): readonly KubeObject[] =>
  parseYamlDocuments(readFileSync(join(example, file), 'utf8'), file) as KubeObject[];

function locate(object: KubeObject): HostImage {
  const image = object as HostImage;
  const program = programs[image.metadata.name ?? ''] ?? '';
  return { ...image, spec: { ...image.spec, folder: dirname(program), command: ['node', `./${basename(program)}`] } };
}
