import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Member, memberOf, problemOfName, withMember, withoutMember } from './tenant-objects.ts';

const ann: Member = { kind: 'User', name: 'ann', roles: ['admin'] };
const ben: Member = { kind: 'ServiceAccount', namespace: 'chandlery-users', name: 'ben', roles: ['view'] };

describe('members', () => {
  it('are there once: adding one again changes the roles', () => {
    assert.deepEqual(withMember([ann, ben], { ...ann, roles: ['view'] }), [ben, { ...ann, roles: ['view'] }]);
    assert.deepEqual(withoutMember([ann, ben], { ...ben, roles: ['admin'] }), [ann]);
  });

  it('are meant by what people see of them', () => {
    assert.deepEqual(memberOf('User', 'system:serviceaccount:chandlery-users:ben', 'view'), ben);
    assert.deepEqual(memberOf('ServiceAccount', 'ben', 'view'), ben);
    assert.deepEqual(memberOf('ServiceAccount', 'apps/robot', 'admin'), {
      kind: 'ServiceAccount',
      namespace: 'apps',
      name: 'robot',
      roles: ['admin'],
    });
    assert.deepEqual(memberOf('Group', 'oidc:crew', 'view'), { kind: 'Group', name: 'oidc:crew', roles: ['view'] });
  });
});

describe('names', () => {
  it('are checked before the server does', () => {
    assert.equal(problemOfName('acme-1'), undefined);
    assert.match(problemOfName('Acme') ?? '', /lower-case/);
    assert.equal(problemOfName(''), 'Name is required');
  });
});
