import { createStore } from '../ui/store.ts';

/** Who is signed in. The token is held in memory alone: closing or reloading the tab forgets it. */
export interface Session {
  readonly token: string;
  readonly username: string;
  /** Where the token was accepted: those of service accounts are valid on one cluster. */
  readonly cluster: string;
}

/** Any user with an identity may ask who they are, on a cluster where their credentials are valid. */
export const selfReview = (cluster: string) => ({
  path: `/clusters/${encodeURIComponent(cluster)}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
});

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
