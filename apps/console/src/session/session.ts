import { createStore } from '../ui/store.ts';

/** Who is signed in. The token is held in memory alone: closing or reloading the tab forgets it. */
export interface Session {
  readonly token: string;
  readonly username: string;
}

/** Undefined: no user is signed in. */
export const sessionStore = createStore<Session | undefined>(undefined);

/** Why the sign-in page is shown again, for people. */
export const sessionNotice = createStore<string | undefined>(undefined);

export function signOut(notice?: string): void {
  sessionStore.set(undefined);
  sessionNotice.set(notice);
}

export function signIn(session: Session): void {
  sessionNotice.set(undefined);
  sessionStore.set(session);
}
