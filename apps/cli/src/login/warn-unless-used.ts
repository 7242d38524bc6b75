import type { CommandContext } from '../command.ts';
import { kubeconfigPathOf } from '../landscape/connect.ts';
import { loginKubeconfig } from './login-store.ts';

/** Warns when commands do not use the sign-ins: the landscape of a data folder, and `KUBECONFIG`, have precedence. */
export function warnUnlessUsed(context: CommandContext): void {
  const used = kubeconfigPathOf(context);
  const logins = loginKubeconfig(context);
  if (used === logins) return;
  context.stderr.write(
    `warning: commands here use ${used} with its credentials, not the sign-in; choose it with --kubeconfig or:\n` +
      `  export KUBECONFIG=${logins}\n`,
  );
}
