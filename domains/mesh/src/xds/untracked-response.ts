import { isKnown, nameList, respondNames } from './named-response.ts';
import type { SharedResponse } from './response.ts';
import type { Answer, AnswerNeeds } from './response-deps.ts';
import type { Substream } from './substream.ts';

/** Tells a subscription to certain names which of them are new, and those that it asked for. */
export function untrackedAnswer(substream: Substream, needs: AnswerNeeds): Answer | undefined {
  const { mode, generation, memo } = needs;
  const known = memo?.find(substream, mode, generation);
  const response = known ?? makeResponse(substream, needs);
  if (response === undefined) return undefined;
  if (known === undefined) memo?.note(substream, { mode, generation, response });
  substream.recent = response.content.resources;
  return { response, news: response.content.resources.keys() };
}

function makeResponse(substream: Substream, needs: AnswerNeeds): SharedResponse | undefined {
  const names = new Set<string>();
  for (const name of substream.forced ?? []) if (isAnswered(substream, name, needs)) names.add(name);
  for (const name of substream.dirty ?? []) if (isNews(substream, name, needs)) names.add(name);
  if (names.size === 0) return undefined;
  const { view } = needs;
  const isAll = names.size === substream.names?.names.size;
  const key = isAll ? `set ${substream.names?.id}` : nameList(names);
  return respondNames(substream, needs, { key, names, find: name => view.get(substream.type, name) }).response;
}

/** The view is asked in any case: it hears only of what somebody has asked for. */
function isAnswered(substream: Substream, name: string, { mode, view }: AnswerNeeds): boolean {
  const resource = view.get(substream.type, name);
  return mode === 'delta' ? !isKnown(substream, resource) : resource !== undefined;
}

function isNews({ type, recent }: Substream, name: string, { mode, view }: AnswerNeeds): boolean {
  const resource = view.get(type, name);
  if (resource === undefined) return mode === 'delta';
  return recent?.get(name)?.version !== resource.version;
}
