import { useEffect, useState } from 'react';
import { usePageTitle } from '../shell/page-title.ts';
import { Button } from '../ui/button.tsx';
import { FailureNotice, Loading, Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { useLoaded } from '../ui/use-request.ts';
import { beginSession, redeemCode, takeCode } from './begin-session.ts';
import { readSignInOptions } from './landscape-document.ts';
import { finishOidcSignIn, startOidcSignIn } from './oidc.ts';
import { sessionNotice } from './session.ts';

/** Signs in: by a one-time code in the address, at an OpenID provider, or with a token. */
export function SignInPage({ cluster }: { readonly cluster: string }) {
  usePageTitle('Sign in');
  const notice = useStore(sessionNotice);
  const { value: options, error: unreachable } = useLoaded(readSignInOptions, []);
  const [error, setError] = useState<unknown>();
  const { isBusy, run } = useSignIn(cluster, setError);
  if (isBusy) return <Loading what="your session" />;
  return (
    <main className="sign-in">
      <img src="/console/icon.svg" alt="" width="48" height="48" />
      <h1>Sign in to Chandlery</h1>
      {notice !== undefined && <Notice kind="info">{notice}</Notice>}
      {error !== undefined && <FailureNotice goal="sign in" error={error} />}
      {unreachable !== undefined && <FailureNotice goal="reach the landscape" error={unreachable} />}
      {options?.oidc.map(issuer => (
        <Button key={issuer.issuer} kind="primary" onClick={() => void run(() => startOidcSignIn(issuer))}>
          Sign in at {new URL(issuer.issuer).host}
        </Button>
      ))}
      <TokenForm
        kind={(options?.oidc.length ?? 0) > 0 ? 'plain' : 'primary'}
        onToken={token => void run(() => beginSession(token, cluster))}
      />
      <p className="quiet">
        Or run <code>npx chandlery console</code>, which opens this page signed in.
      </p>
    </main>
  );
}

/** Sign-ins one at a time; the first are those that the address asks for. */
function useSignIn(cluster: string, onError: (error: unknown) => void) {
  const [isBusy, setBusy] = useState(true);
  const run = async (signIn: () => Promise<void>): Promise<void> => {
    setBusy(true);
    onError(undefined);
    await signIn().catch(onError);
    setBusy(false);
  };
  useEffect(() => void run(() => signInByAddress(cluster)), []);
  return { isBusy, run };
}

async function signInByAddress(cluster: string): Promise<void> {
  const code = takeCode();
  if (code !== undefined) return redeemCode(code, cluster);
  const token = await finishOidcSignIn();
  if (token !== undefined) await beginSession(token, cluster);
}

interface TokenFormProps {
  /** Where an OpenID provider signs people in, that is the first choice. */
  readonly kind: 'plain' | 'primary';
  readonly onToken: (token: string) => void;
}

function TokenForm({ kind, onToken }: TokenFormProps) {
  const [token, setToken] = useState('');
  return (
    <form
      className="sign-in-form"
      onSubmit={event => {
        event.preventDefault();
        if (token.trim() !== '') onToken(token.trim());
      }}
    >
      <label className="field">
        <span>Token</span>
        <input
          type="password"
          value={token}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setToken(event.target.value)}
        />
        <span className="quiet field-about">Of the administrator, a person or a service account</span>
      </label>
      <Button kind={kind} type="submit">
        Sign in
      </Button>
    </form>
  );
}
