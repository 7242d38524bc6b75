// Questions about who may do what. Numbers and names as in Kubernetes 1.32.

import { bool, list, map, message, one, optionalBool, string } from '../message.ts';
import { fieldSelectorRequirement, labelSelectorRequirement } from './meta.ts';

/** The field selector of a request. */
export const fieldSelectorAttributes = message('The field selector of a request.', {
  rawSelector: string(1, 'As written in the query.'),
  requirements: list(2, fieldSelectorRequirement, 'As parsed.'),
});

/** The label selector of a request. */
export const labelSelectorAttributes = message('The label selector of a request.', {
  rawSelector: string(1, 'As written in the query.'),
  requirements: list(2, labelSelectorRequirement, 'As parsed.'),
});

/** A request to a resource. */
export const resourceAttributes = message('A request to a resource.', {
  namespace: string(1, 'Namespace; empty for all, or none.'),
  verb: string(2, 'Verb; * for all.'),
  group: string(3, 'API group; * for all.'),
  version: string(4, 'API version; * for all.'),
  resource: string(5, 'Plural name; * for all.'),
  subresource: string(6, 'Sub-resource.'),
  name: string(7, 'Name of the object; empty for all.'),
  fieldSelector: one(8, fieldSelectorAttributes, 'Limits the request to these objects.'),
  labelSelector: one(9, labelSelectorAttributes, 'Limits the request to these objects.'),
});

/** A request to any other path. */
export const nonResourceAttributes = message('A request to any other path.', {
  path: string(1, 'The path.'),
  verb: string(2, 'HTTP verb.'),
});

/** What the caller wants to do; exactly one is used. */
export const selfSubjectAccessReviewSpec = message('What the caller wants to do; exactly one is used.', {
  resourceAttributes: one(1, resourceAttributes, 'A request to a resource.'),
  nonResourceAttributes: one(2, nonResourceAttributes, 'A request to any other path.'),
});

/** The user and the action to check. */
export const subjectAccessReviewSpec = message('The user and the action to check.', {
  resourceAttributes: one(1, resourceAttributes, 'A request to a resource.'),
  nonResourceAttributes: one(2, nonResourceAttributes, 'A request to any other path.'),
  user: string(3, 'The user.'),
  groups: list(4, 'string', 'Groups of the user.'),
  extra: map(5, 'stringList', 'What else the authenticator said of the user.'),
  uid: string(6, 'UID of the user.'),
});

/** The answer. */
export const subjectAccessReviewStatus = message('The answer.', {
  allowed: optionalBool(1, 'Whether it is allowed.'),
  denied: bool(4, 'Whether it is forbidden for good.'),
  reason: string(2, 'Why.'),
  evaluationError: string(3, 'What went wrong on the way.'),
});

/** Where the caller wants to know. */
export const selfSubjectRulesReviewSpec = message('Where the caller wants to know.', {
  namespace: string(1, 'The namespace.'),
});

/** What may be done with resources. */
export const resourceRule = message('What may be done with resources.', {
  verbs: list(1, 'string', 'Verbs; * for all.'),
  apiGroups: list(2, 'string', 'API groups; * for all.'),
  resources: list(3, 'string', 'Plural names; * for all.'),
  resourceNames: list(4, 'string', 'Names of objects; all by default.'),
});

/** What may be done with other paths. */
export const nonResourceRule = message('What may be done with other paths.', {
  verbs: list(1, 'string', 'HTTP verbs; * for all.'),
  nonResourceURLs: list(2, 'string', 'Paths; a * at the end stands for any rest.'),
});

/** What the caller may do. */
export const subjectRulesReviewStatus = message('What the caller may do.', {
  resourceRules: list(1, resourceRule, 'With resources.'),
  nonResourceRules: list(2, nonResourceRule, 'With other paths.'),
  incomplete: optionalBool(3, 'Whether there may be more.'),
  evaluationError: string(4, 'What went wrong on the way.'),
});
