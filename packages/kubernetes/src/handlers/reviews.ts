import { apiError, badRequest, isError, type KubeObject, methodNotAllowed, reviewKinds } from '@chandlery/api';
import { type Authenticator, asKubeObject, type RequestAttributes, type UserInfo } from '@chandlery/kernel';
import type { Call } from '../call.ts';
import type { ResourcePath } from '../request-path.ts';
import { sendJson } from '../respond.ts';
import { lookUpObjects } from './object-lookup.ts';
import { searchObjects } from './object-search.ts';
import { requireBody } from './request-body.ts';

/** Questions about rights and identities, by `group/version/plural`; nothing of them is stored. */
const handlers: ReadonlyMap<string, ReviewHandler> = new Map<string, ReviewHandler>([
  ['authorization.k8s.io/v1/selfsubjectaccessreviews', selfSubjectAccessReview],
  ['authorization.k8s.io/v1/subjectaccessreviews', subjectAccessReview],
  ['authorization.k8s.io/v1/localsubjectaccessreviews', localSubjectAccessReview],
  ['authorization.k8s.io/v1/selfsubjectrulesreviews', selfSubjectRulesReview],
  ['authentication.k8s.io/v1/selfsubjectreviews', selfSubjectReview],
  ['authentication.k8s.io/v1/tokenreviews', tokenReview],
  ['search.chandlery.io/v1alpha1/objectsearches', searchObjects],
  ['search.chandlery.io/v1alpha1/objectlookups', lookUpObjects],
]);

interface ReviewContext {
  readonly authenticator: Authenticator;
  /** Of the path; empty for cluster-scoped reviews. */
  readonly namespace: string;
}

/** Handles one kind of review: returns its status. */
type ReviewHandler = (call: Call, review: KubeObject, context: ReviewContext) => object | Promise<object>;

/** The handler of the review that a path addresses; undefined when it addresses none. */
export const reviewHandlerOf = ({ group, version, plural }: ResourcePath): ReviewHandler | undefined =>
  handlers.get(`${group}/${version}/${plural}`);

/** Responds to a review with the review itself, its status filled in. */
export async function handleReview(
  call: Call,
  path: ResourcePath,
  handler: ReviewHandler,
  authenticator: Authenticator,
): Promise<void> {
  if (call.request.method !== 'POST' || path.name !== undefined) throw methodNotAllowed();
  const { kind, apiVersion } = typeOf(path);
  const review = asKubeObject((await requireBody(call, false)).value, { apiVersion, kind });
  if (review.kind !== kind) throw badRequest(`the object is a ${review.kind} but the request is for ${kind}`);
  const status = await handler(call, review, { authenticator, namespace: path.namespace ?? '' });
  sendJson(call, 201, { ...review, metadata: { creationTimestamp: null, ...review.metadata }, status });
}

function typeOf({ group, version, plural }: ResourcePath): { readonly apiVersion: string; readonly kind: string } {
  const declaration = reviewKinds.find(kind => kind.group === group && kind.plural === plural);
  return { apiVersion: `${group}/${version}`, kind: declaration?.kind ?? '' };
}

interface AccessSpec {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  } | null;
  nonResourceAttributes?: { path?: string; verb?: string } | null;
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

function specOf<T>({ spec }: KubeObject): T {
  if (spec !== undefined && spec !== null && (typeof spec !== 'object' || Array.isArray(spec)))
    throw badRequest('spec must be an object');
  return (spec ?? {}) as T;
}

function attributesOf(spec: AccessSpec): RequestAttributes {
  const resourceAttributes = spec.resourceAttributes ?? undefined;
  const nonResourceAttributes = spec.nonResourceAttributes ?? undefined;
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    throw apiError('Invalid', 'exactly one of spec.nonResourceAttributes or spec.resourceAttributes must be specified');
  }
  if (nonResourceAttributes !== undefined) {
    return { verb: text(nonResourceAttributes.verb), path: text(nonResourceAttributes.path) };
  }
  const { verb, group, resource, subresource, namespace, name } = resourceAttributes ?? {};
  return {
    verb: text(verb),
    group: text(group),
    resource: text(resource),
    ...(text(subresource) === '' ? {} : { subresource: text(subresource) }),
    namespace: text(namespace),
    name: text(name),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

async function decide(call: Call, user: UserInfo, attributes: RequestAttributes): Promise<object> {
  const { access, view, kinds } = call;
  if (view !== undefined) {
    return { allowed: (await view.isMember(access, user)) && (await view.allows(access, user, attributes, kinds)) };
  }
  const { allowed, reason } = access.authorize(user, attributes);
  return { allowed, ...(reason === undefined || reason === '' ? {} : { reason }) };
}

function selfSubjectAccessReview(call: Call, review: KubeObject): Promise<object> {
  return decide(call, call.user, attributesOf(specOf(review)));
}

function subjectAccessReview(call: Call, review: KubeObject): Promise<object> {
  const spec = specOf<AccessSpec>(review);
  const groups = Array.isArray(spec.groups) ? spec.groups.filter(group => typeof group === 'string') : [];
  if (text(spec.user) === '' && groups.length === 0)
    throw apiError('Invalid', 'at least one of spec.user or spec.groups must be specified');
  return decide(call, { username: text(spec.user), groups }, attributesOf(spec));
}

function localSubjectAccessReview(call: Call, review: KubeObject, { namespace }: ReviewContext): Promise<object> {
  const spec = specOf<AccessSpec>(review);
  const attributes = spec.resourceAttributes ?? undefined;
  if (attributes === undefined || text(attributes.namespace) !== namespace) {
    throw apiError(
      'Invalid',
      `spec.resourceAttributes.namespace must match the namespace of the request: "${namespace}"`,
    );
  }
  return subjectAccessReview(call, review);
}

async function selfSubjectRulesReview({ access, user, view }: Call, review: KubeObject): Promise<object> {
  const { namespace } = specOf<{ namespace?: string }>(review);
  if (text(namespace) === '') throw badRequest('no namespace on request');
  const place = (await view?.namespaceOfRules(text(namespace))) ?? text(namespace);
  const { resourceRules, nonResourceRules, incomplete } = access.rulesFor(user, place);
  return { resourceRules, nonResourceRules, incomplete };
}

function selfSubjectReview({ user }: Call): object {
  return { userInfo: userInfoOf(user) };
}

const userInfoOf = ({ username, uid, groups, extra }: UserInfo): object => ({
  username,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

/** Each audience costs a verification. */
const maxAudiences = 32;

async function tokenReview({ home }: Call, review: KubeObject, { authenticator }: ReviewContext): Promise<object> {
  const { token, audiences } = specOf<{ token?: string; audiences?: unknown }>(review);
  delete (review['spec'] as { token?: string } | undefined)?.token;
  const wanted = Array.isArray(audiences) ? audiences.filter(audience => typeof audience === 'string') : [];
  if (wanted.length > maxAudiences) throw badRequest(`spec.audiences may hold at most ${maxAudiences} audiences`);
  const found = new Map<string, UserInfo>();
  const refusals: string[] = [];
  for (const audience of wanted.length === 0 ? [undefined] : wanted) {
    try {
      found.set(audience ?? '', await authenticator.authenticate({ bearerToken: text(token) }, home, audience));
    } catch (error) {
      if (!isError(error, 'Unauthorized')) throw error;
      refusals.push(error.message);
    }
  }
  const [user] = found.values();
  if (user === undefined) return { authenticated: false, error: refusals[0] ?? 'Unauthorized' };
  return {
    authenticated: true,
    user: userInfoOf(user),
    ...(wanted.length === 0 ? {} : { audiences: [...found.keys()] }),
  };
}
