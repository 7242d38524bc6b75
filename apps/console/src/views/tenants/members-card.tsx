import { situationOf } from '@chandlery/api';
import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { objectPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { tenantsCluster } from './tenant-kinds.ts';
import {
  type Member,
  memberKey,
  memberKinds,
  memberOf,
  memberRoles,
  membersIn,
  type TenantObject,
  withMember,
  withoutMember,
} from './tenant-objects.ts';

interface MembersCardProps {
  readonly kind: ServedKind;
  readonly tenant: TenantObject;
  readonly isDeleted: boolean;
}

const roleWords: Readonly<Record<string, string>> = { admin: 'Administrator', view: 'Viewer' };

/** Who belongs to a project or workspace, with which role. */
export function MembersCard({ kind, tenant, isDeleted }: MembersCardProps) {
  const [asked, setAsked] = useState<'add' | Member>();
  const { namespace = '', name = '' } = tenant.metadata;
  const denial = useDenial({
    cluster: tenantsCluster,
    verb: 'patch',
    ...kind,
    namespace,
    name,
    at: situationOf(tenant).state,
  });
  const reason = isDeleted ? 'It was deleted' : denial;
  const members = membersIn(tenant);
  const what = kind.kind.toLowerCase();
  return (
    <section className="part" aria-label={`Members of the ${what}`}>
      <header className="page-head">
        <h2>Members</h2>
        <Button disabledReason={reason} onClick={() => setAsked('add')}>
          Add a member…
        </Button>
      </header>
      {members.length === 0 ? (
        <p className="quiet">Nobody is listed: only operators see it. Add a member.</p>
      ) : (
        <Rows label="Members" headings={['Name', 'Type', 'Roles', '']}>
          {members.map(member => (
            <tr key={memberKey(member)}>
              <td>{nameText(member)}</td>
              <td>{typeWords[member.kind]}</td>
              <td>{member.roles.map(role => roleWords[role] ?? plainText(role)).join(', ')}</td>
              <td className="row-actions">
                <Button kind="danger" disabledReason={reason} onClick={() => setAsked(member)}>
                  Remove…<span className="spoken"> {nameText(member)}</span>
                </Button>
              </td>
            </tr>
          ))}
        </Rows>
      )}
      {asked === 'add' && <AddDialog kind={kind} tenant={tenant} onClose={() => setAsked(undefined)} />}
      {typeof asked === 'object' && (
        <RemoveDialog kind={kind} tenant={tenant} member={asked} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}

const typeWords: Readonly<Record<Member['kind'], string>> = {
  User: 'User',
  Group: 'Group',
  ServiceAccount: 'Service account',
};

const nameText = ({ name, namespace }: Member): string =>
  plainText(namespace === undefined ? name : `${namespace}/${name}`);

interface DialogProps extends Pick<MembersCardProps, 'kind' | 'tenant'> {
  readonly onClose: () => void;
}

function AddDialog({ kind, tenant, onClose }: DialogProps) {
  const [type, setType] = useState<Member['kind']>('User');
  const [text, setText] = useState('');
  const [role, setRole] = useState<string>('view');
  const members = withMember(membersIn(tenant), memberOf(type, text.trim(), role));
  const isIncomplete = text.trim() === '';
  return (
    <FormDialog
      title="Add a member"
      goal="add the member"
      submit="Add"
      problem={isIncomplete ? 'Name is required' : undefined}
      command={isIncomplete ? undefined : membersCommand(kind, tenant, members)}
      onSubmit={() => writeMembers(kind, tenant, members)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={text}
        onChange={setText}
        about="As the user menu of the member says; of a service account NAMESPACE/NAME"
      />
      <label className="field">
        <span>Type</span>
        <select value={type} onChange={({ target }) => setType(target.value as Member['kind'])}>
          {memberKinds.map(each => (
            <option key={each} value={each}>
              {typeWords[each]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Role</span>
        <select value={role} onChange={({ target }) => setRole(target.value)}>
          {memberRoles.map(each => (
            <option key={each} value={each}>
              {roleWords[each]}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

function RemoveDialog({ kind, tenant, member, onClose }: DialogProps & { readonly member: Member }) {
  const members = withoutMember(membersIn(tenant), member);
  return (
    <FormDialog
      title="Remove the member?"
      goal="remove the member"
      submit="Remove"
      kind="danger"
      command={membersCommand(kind, tenant, members)}
      onSubmit={() => writeMembers(kind, tenant, members)}
      onClose={onClose}
    >
      <p>
        <strong>{nameText(member)}</strong> can no longer see or change this {kind.kind.toLowerCase()}. What they have
        made stays.
      </p>
    </FormDialog>
  );
}

/** Replaces the members that the user has seen: fails when another user has changed the object since. */
async function writeMembers(
  kind: ServedKind,
  { metadata: { namespace = '', name = '', resourceVersion } }: TenantObject,
  members: readonly Member[],
): Promise<void> {
  await request(objectPath(tenantsCluster, kind, { namespace, name }), {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    query: { fieldManager: 'chandlery-console' },
    body: { metadata: { resourceVersion }, spec: { members } },
  });
}

const membersCommand = (
  kind: ServedKind,
  { metadata: { namespace, name = '' } }: TenantObject,
  members: readonly Member[],
): string =>
  commandText(
    ...['kubectl', '--context', tenantsCluster, 'patch', `${kind.plural}.${kind.group}`, name],
    ...(namespace === undefined ? [] : ['-n', namespace]),
    ...['--type=merge', '-p', JSON.stringify({ spec: { members } })],
  );
