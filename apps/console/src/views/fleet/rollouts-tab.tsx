import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { collectionPath } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { navigate, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ObjectList } from '../kind-list/kind-list-page.tsx';
import { fleetCluster, fleetKinds } from './fleet-kinds.ts';

const presentation = { hidden: ['Product'] };
const usePresentation = () => presentation;

/** Upgrades of many instances, and how far they are. */
export function RolloutsTab({ product }: { readonly product: string }) {
  const { cluster } = useCluster();
  const [isOpen, setOpen] = useState(false);
  const denial = useDenial({ cluster: fleetCluster, verb: 'create', ...fleetKinds.rollouts });
  return (
    <>
      <div className="actions">
        <Button kind="primary" disabledReason={denial} onClick={() => setOpen(true)}>
          Start a rollout…
        </Button>
      </div>
      <ObjectList
        kind={fleetKinds.rollouts}
        cluster={fleetCluster}
        fields={`spec.product=${product}`}
        usePresentation={usePresentation}
        hrefOf={({ name }) => viewHref([cluster, 'fleet', 'rollout', name])}
        advice={<p className="quiet">A rollout moves instances to another version, a few of them first.</p>}
      />
      {isOpen && <RolloutDialog ofProduct={product} onClose={() => setOpen(false)} />}
    </>
  );
}

interface RolloutDialogProps {
  /** What the field for the product begins with. */
  readonly ofProduct: string;
  readonly onClose: () => void;
}

function RolloutDialog({ ofProduct, onClose }: RolloutDialogProps) {
  const { cluster } = useCluster();
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  const [product, setProduct] = useState(ofProduct);
  const start = async (): Promise<void> => {
    await request(collectionPath(fleetCluster, fleetKinds.rollouts), {
      method: 'POST',
      body: {
        apiVersion: 'fleet.chandlery.io/v1alpha1',
        kind: 'FleetRollout',
        metadata: { name },
        spec: { product, productVersion: version },
      },
    });
    navigate(viewHref([cluster, 'fleet', 'rollout', name]));
  };
  const isIncomplete = [name, version, product].some(text => text === '');
  return (
    <FormDialog
      title="Start a rollout"
      goal="start the rollout"
      submit="Start"
      problem={isIncomplete ? 'Name, product and version are required' : undefined}
      command={
        isIncomplete
          ? undefined
          : commandText('chandlery', 'fleet', 'rollout', 'start', name, '--product', product, '--version', version)
      }
      onSubmit={start}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} />
      <TextField label="Product" value={product} onChange={setProduct} />
      <TextField
        label="Version"
        value={version}
        onChange={setVersion}
        about="One instance is moved first, then a tenth, then the rest. It pauses at the first failure."
      />
    </FormDialog>
  );
}
