import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PolicyRule, type RequestAttributes, ruleAllows } from './rbac.ts';

const rule = (verbs: string, apiGroups: string[], resources: string[], resourceNames?: string[]): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups,
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const paths = (verbs: string, ...nonResourceURLs: string[]): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs,
});
const on = (verb: string, group: string, resource: string, name?: string): RequestAttributes => {
  const [plural = '', subresource] = resource.split('/');
  return {
    verb,
    group,
    resource: plural,
    namespace: 'd',
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
  };
};
const at = (verb: string, path: string): RequestAttributes => ({ verb, path });

const getPods = rule('get list', [''], ['pods']);
const namedPod = rule('*', [''], ['pods'], ['a', 'b']);

const table: readonly (readonly [why: string, PolicyRule, RequestAttributes, boolean])[] = [
  ['verb, group and resource match', getPods, on('get', '', 'pods', 'a'), true],
  ['a second verb matches', getPods, on('list', '', 'pods'), true],
  ['another verb does not', getPods, on('watch', '', 'pods'), false],
  ['verbs are case sensitive', getPods, on('GET', '', 'pods'), false],
  ['another group does not', getPods, on('get', 'apps', 'pods'), false],
  ['another resource does not', getPods, on('get', '', 'secrets'), false],
  ['a subresource is another resource', getPods, on('get', '', 'pods/log', 'a'), false],
  ['the resource is not its subresource', rule('get', [''], ['pods/log']), on('get', '', 'pods', 'a'), false],
  ['a subresource matches itself', rule('get', [''], ['pods/log']), on('get', '', 'pods/log', 'a'), true],
  ['all resources take in subresources', rule('get', [''], ['*']), on('get', '', 'pods/log', 'a'), true],
  [
    'any resource of a subresource',
    rule('update', ['*'], ['*/scale']),
    on('update', 'apps', 'deployments/scale', 'a'),
    true,
  ],
  [
    'that is not the resource itself',
    rule('update', ['*'], ['*/scale']),
    on('update', 'apps', 'deployments', 'a'),
    false,
  ],
  [
    'nor another subresource',
    rule('update', ['*'], ['*/scale']),
    on('update', 'apps', 'deployments/status', 'a'),
    false,
  ],
  [
    'nor one that ends alike',
    rule('update', ['*'], ['*/scale']),
    on('update', 'apps', 'deployments/autoscale', 'a'),
    false,
  ],
  ['plural/* is no pattern', rule('get', [''], ['pods/*']), on('get', '', 'pods/log', 'a'), false],
  ['a resource is no prefix', rule('get', [''], ['pod']), on('get', '', 'pods'), false],
  ['all verbs', rule('*', [''], ['pods']), on('escalate', '', 'pods'), true],
  ['all groups', rule('get', ['*'], ['pods']), on('get', 'metrics.k8s.io', 'pods'), true],
  ['the empty group is the core group only', rule('get', [''], ['*']), on('get', 'apps', 'deployments'), false],
  ['a named object', namedPod, on('get', '', 'pods', 'a'), true],
  ['another named object', namedPod, on('delete', '', 'pods', 'b'), true],
  ['an object that is not named', namedPod, on('get', '', 'pods', 'c'), false],
  ['names never match create', namedPod, on('create', '', 'pods'), false],
  ['names never match list', namedPod, on('list', '', 'pods'), false],
  ['names never match deletecollection', namedPod, on('deletecollection', '', 'pods'), false],
  ['a list narrowed to the name', namedPod, on('list', '', 'pods', 'a'), true],
  ['a watch narrowed to the name', namedPod, on('watch', '', 'pods', 'a'), true],
  ['a list narrowed to another name', namedPod, on('list', '', 'pods', 'c'), false],
  ['a name is no pattern', rule('get', [''], ['pods'], ['*']), on('get', '', 'pods', 'a'), false],
  ['a resource rule says nothing about paths', rule('*', ['*'], ['*']), at('get', '/version'), false],
  ['a path rule says nothing about resources', paths('*', '*'), on('get', '', 'pods'), false],
  ['a path', paths('get', '/version'), at('get', '/version'), true],
  ['a path below is another', paths('get', '/version'), at('get', '/version/'), false],
  ['a path with another verb', paths('get', '/version'), at('post', '/version'), false],
  ['a path pattern', paths('get', '/apis/*'), at('get', '/apis/apps/v1'), true],
  ['a path pattern needs its slash', paths('get', '/apis/*'), at('get', '/apis'), false],
  ['all paths', paths('get', '*'), at('get', '/anything'), true],
  ['a star inside is literal', paths('get', '/a/*/c'), at('get', '/a/b/c'), false],
  ['an empty rule', { verbs: [] }, on('get', '', 'pods'), false],
];

for (const [why, given, attributes, expected] of table) {
  test(`a rule ${expected ? 'allows' : 'does not allow'}: ${why}`, () => {
    assert.equal(ruleAllows(given, attributes), expected);
  });
}
