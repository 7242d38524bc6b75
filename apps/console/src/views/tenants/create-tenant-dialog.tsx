import { displayNameAnnotation, type KubeObject } from '@chandlery/api';
import { useState } from 'react';
import { collectionPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { navigate, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { projectNamespace, tenantKinds, tenantsCluster, workspaceNamespace } from './tenant-kinds.ts';
import { problemOfName } from './tenant-objects.ts';

/** What is created, and in which tenant. */
type Place =
  | { readonly type: 'project' }
  | { readonly type: 'workspace'; readonly project: string }
  | { readonly type: 'control plane'; readonly project: string; readonly workspace: string };

type CreateTenantDialogProps = Place & { readonly onClose: () => void };

/** Creates a project, a workspace or a control plane. */
export function CreateTenantDialog({ onClose, ...place }: CreateTenantDialogProps) {
  const { cluster } = useCluster();
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const { kind, namespace, noun, flags, about } = detailsOf(place);
  const problem = problemOfName(name);
  const create = async (): Promise<void> => {
    await request(collectionPath(tenantsCluster, kind, namespace), {
      method: 'POST',
      query: { fieldManager: 'chandlery-console' },
      body: newObject(place, { kind, name, displayName }),
    });
    const parents = [
      ...('project' in place ? [place.project] : []),
      ...('workspace' in place ? [place.workspace] : []),
    ];
    const shown = place.type === 'control plane' ? parents : [...parents, name];
    navigate(viewHref([cluster, 'tenants', ...shown]));
  };
  const words = ['chandlery', noun, 'create', name, ...flags];
  return (
    <FormDialog
      title={`Create a ${place.type}`}
      goal={`create the ${place.type}`}
      submit="Create"
      problem={problem}
      command={
        problem === undefined
          ? commandText(...words, ...(displayName === '' ? [] : ['--display-name', displayName]))
          : undefined
      }
      onSubmit={create}
      onClose={onClose}
    >
      <p className="quiet">{about}</p>
      <TextField label="Name" value={name} onChange={setName} about='Lower-case letters, digits and "-"' />
      {place.type !== 'control plane' && (
        <TextField label="Display name" value={displayName} onChange={setDisplayName} isOptional />
      )}
    </FormDialog>
  );
}

interface Details {
  readonly kind: ServedKind;
  readonly namespace: string;
  /** In commands. */
  readonly noun: string;
  readonly flags: readonly string[];
  readonly about: string;
}

function detailsOf(place: Place): Details {
  switch (place.type) {
    case 'project':
      return {
        kind: tenantKinds.projects,
        namespace: '',
        noun: 'project',
        flags: [],
        about: 'A tenant: people, workspaces, and a Kubernetes API of its own. You become its administrator.',
      };
    case 'workspace':
      return {
        kind: tenantKinds.workspaces,
        namespace: projectNamespace(place.project),
        noun: 'workspace',
        flags: ['--project', place.project],
        about: 'A part of the project with members of its own: services and control planes live in it.',
      };
    case 'control plane':
      return {
        kind: tenantKinds.controlPlanes,
        namespace: workspaceNamespace(place.project, place.workspace),
        noun: 'controlplane',
        flags: ['--project', place.project, '--workspace', place.workspace],
        about: 'A Kubernetes API of your own. Its kubeconfig has all rights on it and is a Secret of the workspace.',
      };
  }
}

/** Gives a kubeconfig with all rights, in a Secret beside the control plane, as the command does. */
const controlPlaneSpec = {
  iam: { tokens: [{ name: 'admin', roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] }] },
};

interface NewObject {
  readonly kind: ServedKind;
  readonly name: string;
  readonly displayName: string;
}

const newObject = ({ type }: Place, { kind, name, displayName }: NewObject): KubeObject => ({
  apiVersion: `${kind.group}/${kind.version}`,
  kind: kind.kind,
  metadata: {
    name,
    ...(displayName !== '' && { annotations: { [displayNameAnnotation]: displayName } }),
  },
  ...(type === 'control plane' && { spec: controlPlaneSpec }),
});
