import type { KubeObject } from '@chandlery/api';
import { useState } from 'react';
import { objectPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { useBusy } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';

interface DeleteButtonProps {
  readonly kind: ServedKind;
  readonly object: KubeObject;
  readonly isDeleted: boolean;
  /** Why the user may not delete it. */
  readonly denial: string | undefined;
}

/** Deletes an object after its name was typed. */
export function DeleteButton({ kind, object, isDeleted, denial }: DeleteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const reason = isDeleted ? 'It was deleted' : isDeleting ? 'It is being deleted' : denial;
  return (
    <>
      <Button kind="danger" disabledReason={reason} onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {isOpen && <DeleteDialog kind={kind} object={object} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DeleteDialogProps extends Pick<DeleteButtonProps, 'kind' | 'object'> {
  readonly onClose: () => void;
}

function DeleteDialog({ kind, object, onClose }: DeleteDialogProps) {
  const { cluster } = useCluster();
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>();
  const { busyReason, run } = useBusy();
  const remove = async (): Promise<void> => {
    try {
      await request(objectPath(cluster, kind, { namespace, name }), {
        method: 'DELETE',
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', preconditions: { uid } },
      });
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog title={`Delete ${kind.kind}`} onClose={onClose}>
      <p>
        This deletes <strong>{plainText(name)}</strong> from cluster "{cluster}", with everything that belongs to it.
        Data that goes with it does not come back, even if its history restores the object.
      </p>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (typed === name && busyReason === undefined) void run(remove);
        }}
      >
        <label className="field">
          <span>Type the name to confirm</span>
          <input value={typed} autoComplete="off" spellCheck={false} onChange={event => setTyped(event.target.value)} />
        </label>
        {error !== undefined && <FailureNotice goal={`delete ${kind.kind} "${name}"`} error={error} />}
        <Button
          kind="danger"
          type="submit"
          disabledReason={typed === name ? busyReason : 'Type the name of the object first'}
        >
          Delete
        </Button>
      </form>
    </Dialog>
  );
}
