import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, queryClient, type Item } from '../../api/api.ts';
import { memoriesQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Card, Loaded, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

type Token = Item<'listTokens'>;
const KEY = ['server', 'tokens'];

export function Access() {
  const query = useQuery({ queryKey: KEY, queryFn: ({ signal }) => api.listTokens({}, { signal }) });
  const [leaving, setLeaving] = useState<Token | null>(null);
  return (
    <>
      <NewToken />
      <Loaded query={query}>
        {({ items, ownId }) => <TokenTable items={items} ownId={ownId} onRevoke={setLeaving} />}
      </Loaded>
      <AuditLog />
      {leaving && <RevokeDialog token={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

/** The latest entries of the audit log. */
function AuditLog() {
  const w = useWords();
  const f = useFormat();
  const query = useQuery({
    queryKey: ['server', 'audit'],
    queryFn: ({ signal }) => api.listAudit({}, { signal }),
  });
  return (
    <div className="mt-10">
      <Section title={w.operate.audit} about={w.operate.auditAbout}>
        <Loaded query={query}>
          {({ items }) => (
            <Table
              heads={[w.operate.at, w.operate.tokenName, w.operate.action, w.shell.memory, w.operate.outcome]}
              rows={items.map(({ at, tokenId, tokenName, action, memoryId, outcome }, i) => ({
                key: `${at}/${tokenId}/${action}/${i}`,
                cells: [
                  f.dateTime(at),
                  tokenName,
                  <code key="action">{action}</code>,
                  memoryId ?? '–',
                  outcome,
                ],
              }))}
            />
          )}
        </Loaded>
      </Section>
    </div>
  );
}

interface TokenTableProps {
  readonly items: readonly Token[];
  readonly ownId: string | null;
  readonly onRevoke: (token: Token) => void;
}

function TokenTable({ items, ownId, onRevoke }: TokenTableProps) {
  const w = useWords();
  const f = useFormat();
  return (
    <Table
      heads={[
        w.operate.tokenName,
        w.operate.tokenMemory,
        w.operate.made,
        w.operate.lastUsed,
        w.operate.revoke,
      ]}
      rows={items.map((token) => ({
        key: token.id,
        cells: [
          <span key="name" className="flex flex-wrap items-center gap-2">
            {token.name}
            {token.id === ownId && <Badge tone="accent">{w.operate.tokenOwn}</Badge>}
          </span>,
          token.memoryId ?? w.operate.everyMemory,
          f.day(token.createdAt),
          token.lastUsedAt === null ? w.operate.never : f.relative(token.lastUsedAt),
          token.id === ownId ? null : (
            <Button key="revoke" look="danger" onClick={() => onRevoke(token)}>
              {w.operate.revoke}
            </Button>
          ),
        ],
      }))}
    />
  );
}

function RevokeDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const w = useWords();
  const tell = useTell();
  const revoke = useMutation({
    mutationFn: () => api.revokeToken({ tokenId: token.id }),
    onSuccess: () => {
      tell.done(w.operate.revoked);
      onClose();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <Confirm
      title={w.operate.revoke}
      about={w.operate.revokeSure(token.name)}
      doLabel={w.operate.revoke}
      isReady={!revoke.isPending}
      onDo={() => revoke.mutate()}
      onClose={onClose}
    />
  );
}

function NewToken() {
  const w = useWords();
  const tell = useTell();
  const { data: memories } = useQuery(memoriesQuery);
  const [name, setName] = useState('');
  const [memoryId, setMemoryId] = useState('');
  const make = useMutation({
    mutationFn: () => api.createToken({ body: { name: name.trim(), ...(memoryId !== '' && { memoryId }) } }),
    onSuccess: () => setName(''),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <Card className="mb-6">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <div className="min-w-0 flex-1 basis-48">
          <Field label={w.operate.tokenName}>
            <Input value={name} required onChange={(event) => setName(event.target.value)} />
          </Field>
        </div>
        <Select
          label={w.operate.tokenMemory}
          value={memoryId}
          options={[
            ['', w.operate.everyMemory],
            ...(memories?.items.map((one) => [one.memoryId, one.memoryId] as const) ?? []),
          ]}
          onChoose={setMemoryId}
        />
        <Button look="primary" type="submit" disabled={name.trim() === '' || make.isPending}>
          {w.operate.tokenMake}
        </Button>
      </form>
      {make.data && (
        <div className="mt-4" aria-live="polite">
          <p className="mb-1 text-sm text-warn">{w.operate.tokenMade}</p>
          <Copyable text={make.data.token} />
        </div>
      )}
    </Card>
  );
}
