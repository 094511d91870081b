"""Dictionaries of form payloads: what payloads have in common, for the compressor to begin with.

A dictionary is for ever: what was compressed with it is read with it. A compressed payload names
its dictionary by checksum, so another can be added here, first, beside the ones before it.
"""

# The commonest at the end, where references to it are shortest.
_FIRST = (
    b'"answer":"","label":"","rating":5,"value":"","type":"checkbox","options":["yes","no"],null,'
    b'"file_name":".pdf","content_type":"image/jpeg","size":,"url":"https://www.'
    b"?utm_source=google&utm_medium=email&utm_campaign=newsletter"
    b'"user_agent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like '
    b'Gecko) Chrome/131.0.0.0 Safari/537.36","referrer":"https://www.google.com/","ip":"'
    b'"company":"","website":"https://","street":"","address":"","city":"","state":"","zip":"",'
    b'"postal_code":"","country":"","birthday":"","gender":"","quantity":"1","price":"","date":"",'
    b'"time":"","subject":"","comments":"","newsletter":true,"terms":true,"privacy":true,'
    b'"consent":true,"consent":false,"page_url":"https://www.example.com/","language":"en-US",'
    b'"submitted_at":"2025-01-01T00:00:00.000Z","form_id":"contact","fields":{"id":"","title":"",'
    b'"full_name":"","name":"","first_name":"","last_name":"","phone":"+1","topic":"support",'
    b'"email":"@gmail.com","email":"@example.com","message":"Hello, I would like to know whether '
    b"you could please send me more information about your offer. Thank you for your help, "
)

# The one that is written with first.
DICTIONARIES = (_FIRST,)
