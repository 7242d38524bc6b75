import type { KindDeclaration } from '../kind.ts';
import { builtIn, review } from './built-in.ts';
import { int32, message, one, optionalInt32, string } from './message.ts';
import {
  selfSubjectAccessReviewSpec,
  selfSubjectRulesReviewSpec,
  subjectAccessReviewSpec,
  subjectAccessReviewStatus,
  subjectRulesReviewStatus,
} from './messages/access-review.ts';
import {
  selfSubjectReviewStatus,
  tokenRequestSpec,
  tokenRequestStatus,
  tokenReviewSpec,
  tokenReviewStatus,
} from './messages/identity-review.ts';
import { deleteOptions as deleteOptionsMessage } from './messages/meta.ts';
import { objectReference } from './messages/references.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

const accessAnswer = one(3, subjectAccessReviewStatus, 'The answer.');

/** May I? */
export const selfSubjectAccessReview = review({
  group: AUTHORIZATION,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
  description: 'Asks whether the caller may do something.',
  fields: { spec: one(2, selfSubjectAccessReviewSpec, 'The question.', { required: true }), status: accessAnswer },
});

/** May they? */
export const subjectAccessReview = review({
  group: AUTHORIZATION,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
  description: 'Asks whether a user may do something.',
  fields: { spec: one(2, subjectAccessReviewSpec, 'The question.', { required: true }), status: accessAnswer },
});

/** May they, in this namespace? */
export const localSubjectAccessReview = review({
  group: AUTHORIZATION,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  scope: 'Namespaced',
  description: 'Asks whether a user may do something in a namespace.',
  fields: { spec: one(2, subjectAccessReviewSpec, 'The question.', { required: true }), status: accessAnswer },
});

/** What may I? */
export const selfSubjectRulesReview = review({
  group: AUTHORIZATION,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  scope: 'Cluster',
  description: 'Asks what the caller may do in a namespace.',
  fields: {
    spec: one(2, selfSubjectRulesReviewSpec, 'The question.', { required: true }),
    status: one(3, subjectRulesReviewStatus, 'The answer.'),
  },
});

/** Who am I? */
export const selfSubjectReview = review({
  group: AUTHENTICATION,
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  scope: 'Cluster',
  description: 'Asks who the caller is.',
  fields: { status: one(2, selfSubjectReviewStatus, 'The answer.') },
});

/** Whose token is this? */
export const tokenReview = review({
  group: AUTHENTICATION,
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
  description: 'Asks whose token something is.',
  fields: {
    spec: one(2, tokenReviewSpec, 'The question.', { required: true }),
    status: one(3, tokenReviewStatus, 'The answer.'),
  },
});

/** A token for a service account: the body of serviceaccounts/token. */
export const tokenRequest = review({
  group: AUTHENTICATION,
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  scope: 'Namespaced',
  description: 'Asks for a token of a service account.',
  fields: {
    spec: one(2, tokenRequestSpec, 'The token that is wanted.', { default: {} }),
    status: one(3, tokenRequestStatus, 'The token.'),
  },
});

/** Binds a pod to a node: the body of pods/binding. */
export const binding = review({
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  scope: 'Namespaced',
  description: 'Binds a pod to a node.',
  fields: { target: one(2, objectReference, 'The node.', { required: true }) },
});

/** Asks a pod to go, if its budgets allow: the body of pods/eviction. */
export const eviction = review({
  group: 'policy',
  kind: 'Eviction',
  plural: 'evictions',
  scope: 'Namespaced',
  description: 'Asks a pod to go, if its budgets allow.',
  fields: { deleteOptions: one(2, deleteOptionsMessage, 'How to delete.') },
});

/** What the scale sub-resource shows and takes. */
export const scale = builtIn({
  group: 'autoscaling',
  kind: 'Scale',
  plural: 'scales',
  scope: 'Namespaced',
  verbs: [],
  description: 'The size of a workload.',
  fields: {
    spec: one(
      2,
      message('The size that is wanted.', { replicas: int32(1, 'How many.', { minimum: 0 }) }),
      'The size that is wanted.',
    ),
    status: one(
      3,
      message('The size that is there.', {
        replicas: optionalInt32(1, 'How many.'),
        selector: string(2, 'Label selector of the pods.'),
      }),
      'The size that is there.',
    ),
  },
});

/** The body of a deletion. It has no metadata, unlike everything else. */
export const deleteOptions: KindDeclaration = {
  group: '',
  kind: 'DeleteOptions',
  plural: 'deleteoptions',
  scope: 'Cluster',
  verbs: [],
  versions: [{ name: 'v1', schema: deleteOptionsMessage.schema, protobuf: deleteOptionsMessage.protobuf }],
};
