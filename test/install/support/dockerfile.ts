import { readFileSync } from 'node:fs';

/** What the last stage of a Dockerfile sets, as far as it can be run without an engine. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Sources of COPY without `--from`. */
  readonly copied: readonly string[];
}

/** Reads a Dockerfile. Knows the forms that ours uses, and throws for others. */
export function readDockerfile(path: string): ImageSettings {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  const valuesOf = (word: string): string[] =>
    lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1).trim());
  const listOf = (text: string | undefined): string[] => JSON.parse(text ?? '') as string[];
  const pairs = valuesOf('ENV').flatMap(line => [...line.matchAll(/(\w+)=(\S+)/g)]);
  return {
    env: Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])),
    user: valuesOf('USER').at(-1) ?? 'root',
    entrypoint: listOf(valuesOf('ENTRYPOINT').at(-1)),
    command: listOf(valuesOf('CMD').at(-1)),
    healthcheck: listOf(/CMD (\[.*\])/.exec(valuesOf('HEALTHCHECK').at(-1) ?? '')?.[1]),
    copied: valuesOf('COPY').filter(line => !line.startsWith('--from')),
  };
}
