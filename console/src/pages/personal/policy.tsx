import { useMutation, useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { api, queryClient } from '../../api/api.ts';
import { policyQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';
import type { Policy } from './finding.ts';

const POLICIES: readonly Policy[] = ['mask', 'mark', 'refuse', 'off'];

/** What happens to personal data that is added to the memory. */
export function PolicyChoice() {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const query = useQuery(policyQuery(memoryId));
  const choose = useMutation({
    mutationFn: (policy: Policy | null) => api.changeSensitivePolicy({ memoryId, body: { policy } }),
    onSuccess: (chosen) => {
      queryClient.setQueryData(policyQuery(memoryId).queryKey, chosen);
      tell.done(w.personal.chosen);
    },
    onError: tell.failed,
  });
  /** The choice that is being saved, before the server confirms it. */
  const shown = (policy: Policy) => (choose.isPending ? choose.variables : null) ?? policy;
  return (
    <Section title={w.personal.policyTitle} about={w.personal.policyAbout}>
      <Loaded query={query}>
        {({ policy, own }) => (
          <>
            <fieldset className="grid gap-2 sm:grid-cols-2">
              <legend className="sr-only">{w.personal.policyTitle}</legend>
              {POLICIES.map((one) => (
                <label
                  key={one}
                  className={clsx(
                    'grid cursor-pointer grid-cols-[auto_1fr] content-start gap-x-3 gap-y-0.5 rounded-xl border bg-card p-4',
                    'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
                    one === shown(policy) ? 'border-accent' : 'border-line hover:border-line-strong',
                  )}
                >
                  <input
                    type="radio"
                    name="policy"
                    checked={one === shown(policy)}
                    onChange={() => choose.mutate(one)}
                    className="mt-1 self-start accent-accent outline-none"
                  />
                  <span className="font-medium">{w.personal.policies[one].name}</span>
                  <span className="col-start-2 text-sm text-soft">{w.personal.policies[one].about}</span>
                </label>
              ))}
            </fieldset>
            <p className="mt-2 flex min-h-9 flex-wrap items-center gap-x-3 text-sm text-soft">
              {own === null ? w.personal.followsServer : w.personal.ownChoice}
              {own !== null && (
                <Button look="quiet" disabled={choose.isPending} onClick={() => choose.mutate(null)}>
                  {w.personal.followServer}
                </Button>
              )}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
