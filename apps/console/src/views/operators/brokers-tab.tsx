import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { landscapeTenant, registerBroker } from '../../api/service-manager.ts';
import { navigate, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ObjectList } from '../kind-list/kind-list-page.tsx';
import { brokersCluster, operatorKinds } from './operator-kinds.ts';

/** Registered brokers, and those that the landscape has made of what it offers itself. */
export function BrokersTab() {
  const { cluster } = useCluster();
  const [isOpen, setOpen] = useState(false);
  const denial = useDenial({
    cluster: brokersCluster,
    verb: 'create',
    ...operatorKinds.brokers,
    namespace: landscapeTenant,
  });
  return (
    <>
      <div className="actions">
        <Button kind="primary" disabledReason={denial} onClick={() => setOpen(true)}>
          Register a broker…
        </Button>
      </div>
      <ObjectList
        kind={operatorKinds.brokers}
        cluster={brokersCluster}
        hrefOf={({ namespace = '', name }) => viewHref([cluster, 'providers', 'broker', namespace, name])}
        advice={<p className="quiet">Register one: whatever it sells is in the catalogue then.</p>}
      />
      {isOpen && <RegisterDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function problemOf(name: string, url: string, username: string, password: string): string | undefined {
  if (name === '') return 'Name is required';
  if (!/^https?:\/\/[^\s@]+$/.test(url)) return 'The URL begins with https:// or http:// and has no user name';
  if ((username === '') !== (password === '')) return 'User name and password go together';
  return undefined;
}

function RegisterDialog({ onClose }: { readonly onClose: () => void }) {
  const { cluster } = useCluster();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const problem = problemOf(name, url, username, password);
  const register = async (): Promise<void> => {
    const id = await registerBroker({ name, url, description, username, password });
    navigate(viewHref([cluster, 'providers', 'broker', landscapeTenant, id]));
  };
  const about = description === '' ? [] : [description];
  // The command asks for the credentials: a shell would remember them.
  const credentials = username === '' ? [] : ['-b', '-'];
  return (
    <FormDialog
      title="Register a broker"
      goal="register the broker"
      submit="Register"
      problem={problem}
      command={
        problem === undefined
          ? commandText('chandlery', 'broker', 'register', name, url, ...about, ...credentials)
          : undefined
      }
      onSubmit={register}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} />
      <TextField label="URL" value={url} onChange={setUrl} placeholder="https://broker.example.com" type="url" />
      <TextField label="Description" value={description} onChange={setDescription} isOptional />
      <TextField
        label="User name"
        value={username}
        onChange={setUsername}
        isOptional
        about="As whom the broker knows the service manager"
      />
      <TextField
        label="Password"
        value={password}
        onChange={setPassword}
        isOptional
        type="password"
        about="Stored encrypted, and never shown again"
      />
    </FormDialog>
  );
}
