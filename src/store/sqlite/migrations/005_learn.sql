-- One job replaces the separate derivations of an episode.
INSERT INTO job (kind, key, conversation_id, input, status, attempts, run_after, created_at)
SELECT 'learn', 'learn:' || json_extract(input, '$.unitId'), min(conversation_id), min(input), 'queued', 0, min(run_after), min(created_at)
FROM job
WHERE kind IN ('reflect', 'extract_entities', 'extract_facts', 'extract_loops', 'assign_topic')
GROUP BY json_extract(input, '$.unitId')
ORDER BY min(id);

DELETE FROM job WHERE kind IN ('reflect', 'extract_entities', 'extract_facts', 'extract_loops', 'assign_topic');
