import type { EncodedResource } from '../model/resource.ts';
import type { Answer, AnswerNeeds } from './response-deps.ts';
import type { Substream } from './substream.ts';

/** Some names, and what there is of them. */
export interface NamedAnswer {
  /** Stands for the names and what was found: answers with equal keys are equal. */
  readonly key: string;
  readonly names: ReadonlySet<string>;
  readonly find: (name: string) => EncodedResource | undefined;
}

/** Tells what there is of some names and, where the protocol has a word for it, which of them there are not. */
export function respondNames({ type }: Substream, needs: AnswerNeeds, { key, names, find }: NamedAnswer): Answer {
  const { mode, view } = needs;
  const response = needs.share(`${mode} ${type} ${key}`, () => {
    const resources = new Map<string, EncodedResource>();
    const removed: string[] = [];
    for (const name of [...names].sort()) {
      const resource = find(name);
      if (resource !== undefined) resources.set(name, resource);
      else removed.push(name);
    }
    return { mode, type, version: view.version(type), resources, removed: mode === 'delta' ? removed : [] };
  });
  return { response, news: response.content.resources.keys() };
}

/** Stands for names in a {@link NamedAnswer.key}. */
export const nameList = (names: ReadonlySet<string>): string => [...names].sort().join('\n');

/** Whether a client that told what it has when it came has this. */
export const isKnown = ({ known }: Substream, resource: EncodedResource | undefined): boolean =>
  resource !== undefined && known?.get(resource.name) === resource.version;
