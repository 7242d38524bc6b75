import type { KubeObject } from '@chandlery/api';
import { sessionStore } from '../../session/session.ts';
import { createStore } from '../../ui/store.ts';

/** Text that was edited and not saved yet. */
export interface YamlDraft {
  readonly text: string;
  /** The version that it was made from. */
  readonly base: KubeObject;
}

/** By user and object. In memory, as the session is: a view that is left and opened again continues with them. */
const drafts = createStore<ReadonlyMap<string, YamlDraft>>(new Map());

const keyOf = (place: string): string => `${sessionStore.get()?.username ?? ''} ${place}`;

/** The draft that the signed-in user has of an object. `place`: names the object. */
export const draftOf = (place: string): YamlDraft | undefined => drafts.get().get(keyOf(place));

/** Keeps a draft; undefined: there is none any more. While there is one, the browser asks before it closes the tab. */
export function keepDraft(place: string, draft: YamlDraft | undefined): void {
  const next = new Map(drafts.get());
  if (draft === undefined) next.delete(keyOf(place));
  else next.set(keyOf(place), draft);
  drafts.set(next);
  if (next.size > 0) addEventListener('beforeunload', askFirst);
  else removeEventListener('beforeunload', askFirst);
}

const askFirst = (event: Event): void => event.preventDefault();
