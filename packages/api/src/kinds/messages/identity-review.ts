// Reviews of identities. Numbers and names as in Kubernetes 1.32.

import { bool, list, map, message, one, optionalInt64, string, time } from '../message.ts';

/** A user, as authenticated. */
export const userInfo = message('A user, as authenticated.', {
  username: string(1, 'Name of the user.'),
  uid: string(2, 'UID of the user.'),
  groups: list(3, 'string', 'Groups of the user.'),
  extra: map(4, 'stringList', 'What else the authenticator said.'),
});

/** Who the caller is. */
export const selfSubjectReviewStatus = message('Who the caller is.', {
  userInfo: one(1, userInfo, 'The caller.'),
});

/** The token in question. */
export const tokenReviewSpec = message('The token in question.', {
  token: string(1, 'The token.'),
  audiences: list(2, 'string', 'Audiences that ask; the API server by default.'),
});

/** The answer. */
export const tokenReviewStatus = message('The answer.', {
  authenticated: bool(1, 'Whether the token is good.'),
  user: one(2, userInfo, 'Whose token it is.'),
  audiences: list(4, 'string', 'Audiences that the token is good for.'),
  error: string(3, 'What went wrong.'),
});

/** The object that a token dies with. */
export const boundObjectReference = message('The object that a token dies with.', {
  kind: string(1, 'Pod, Secret or Node.'),
  apiVersion: string(2, 'API version of the object.'),
  name: string(3, 'Name of the object.'),
  uid: string(4, 'UID of the object.'),
});

/** The token that is wanted. */
export const tokenRequestSpec = message('The token that is wanted.', {
  audiences: list(1, 'string', 'Audiences; the API server by default.'),
  expirationSeconds: optionalInt64(4, 'Life time.', { default: 3600, minimum: 600, maximum: 4294967296 }),
  boundObjectRef: one(3, boundObjectReference, 'Object that the token dies with.'),
});

/** The token. */
export const tokenRequestStatus = message('The token.', {
  token: string(1, 'The token.'),
  expirationTimestamp: time(2, 'When it expires.'),
});
